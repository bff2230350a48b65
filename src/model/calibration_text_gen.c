/* SPDX-License-Identifier: Apache-2.0 */
/* Made by scripts/embed_calibration.py from examples/tiny/calibration.txt. */
#include "model/calibration_text.h"

const char *const assay_calibration_documents[] = {
    "Q: What is 6 * 6?\nA: 36.\nQ: What is 65 + 63?\nA: 128.",
    "One rainy day, Pia went to the tower. She saw a shiny kite under a tree. \"Is this your kite?\" aske"
    "d the mouse. Pia gave the mouse a lamp and smiled. In the end, Pia was proud and went home.",
    "Q: What is 66 + 43?\nA: 109.\nQ: What is the opposite of hot?\nA: Cold.",
    "Kofi lived near the river with a round hen. She saw a bright apple under a tree. \"Is this your appl"
    "e?\" asked the turtle. They looked in the barn until the sun went down. Kofi learned that it is good"
    " to ask for help.",
    "Q: What is the gas that plants breathe in?\nA: Carbon dioxide.",
    "Omar lived near the hill with a blue dog. He saw a shiny apple under a tree. The goat was brave, but"
    " it was kind. Together they carried the apple to the garden. In the end, Omar was proud and went hom"
    "e.",
    "Q: What is 94 + 71?\nA: 165.",
    "One rainy day, Vik went to the market. She had lost her drum and felt curious. A turtle came by and "
    "said, \"I can help you.\" So Vik and the turtle shared an apple and rested. From that day, Vik and t"
    "he turtle were friends.",
    "On a sunny morning, Vik walked to the library. He saw a old ribbon under a tree. June said, \"Let us"
    " take it to the river.\" They looked in the river until the sun went down. Vik learned that it is go"
    "od to ask for help.",
    "One rainy day, Omar went to the market. He saw a warm letter under a tree. A hen came by and said, "
    "\"I can help you.\" They looked in the hill until the sun went down. In the end, Omar was happy and "
    "went home.",
    "Q: What is 88 + 71?\nA: 159.",
    "Q: Which is the largest of 35, 37 and 29?\nA: 37.",
    "On a windy morning, Pia walked to the hill. She wanted to find a lost boat for Dan. \"Is this your b"
    "oat?\" asked the owl. Together they carried the boat to the market. At night, Pia told Dan the whole"
    " story.",
    "Once there was a warm frog who lived by the river. Its friend was Omar. There she found a warm shell"
    ". Rosa said, \"Let us take it to the village.\" Omar gave the cat a coin and smiled. Omar learned th"
    "at it is good to ask for help.",
    "Q: What is the color of coal?\nA: Black.",
    "Q: What is 91 + 40?\nA: 131.\nQ: What is 16 + 83?\nA: 99.",
    "Hana lived near the barn with a round mouse. There he found a round stone. The fox was worried, but "
    "it was kind. So Hana and the fox shared an apple and rested. In the end, Hana was happy and went hom"
    "e.",
    "Q: What is 34 - 26?\nA: 8.\nQ: What is the color of grass?\nA: Green.",
    "Ada lived near the tower with a warm hen. He wanted to find a warm apple for Hana. \"Is this your ap"
    "ple?\" asked the frog. They looked in the garden until the sun went down. At night, Ada told Hana th"
    "e whole story.",
    "One windy day, Pia went to the river. There she found a warm clock. Lena said, \"Let us take it to t"
    "he village.\" Together they carried the clock to the village. At night, Pia told Lena the whole stor"
    "y.",
    "One foggy day, Ivo went to the tower. He had lost his kite and felt sleepy. The mouse was sleepy, bu"
    "t it was kind. Together they carried the kite to the river. In the end, Ivo was calm and went home.",
    "On a foggy morning, Omar walked to the beach. He had lost his coin and felt brave. \"Is this your co"
    "in?\" asked the crow. Omar gave the crow a map and smiled. Omar learned that it is good to ask for h"
    "elp.",
    "On a windy morning, Kofi walked to the hill. There he found a lost drum. The hen was proud, but it w"
    "as kind. Together they carried the drum to the river. In the end, Kofi was proud and went home.",
    "Q: What is the color of grass?\nA: Green.",
    "Once there was a quiet dog who lived by the barn. Its friend was Ada. She had lost her clock and fel"
    "t curious. The bear was curious, but it was kind. They looked in the market until the sun went down."
    " At night, Ada told Omar the whole story.",
    "Yara lived near the tower with a round rabbit. There he found a round clock. \"Is this your clock?\""
    " asked the owl. They looked in the river until the sun went down. From that day, Yara and the owl we"
    "re friends.",
    "Q: What is 63 - 15?\nA: 48.\nQ: What is the capital of Egypt?\nA: Cairo.",
    "Q: What is 6 * 6?\nA: 36.\nQ: Spell hill.\nA: h-i-l-l.",
    "Q: What is 7 * 3?\nA: 21.\nQ: What is the color of coal?\nA: Black.",
    "Q: Spell dog.\nA: d-o-g.\nQ: What is 10 + 91?\nA: 101.\nQ: What is the number of days in a week?\nA:"
    " Seven.",
    "Q: What is 96 - 8?\nA: 88.\nQ: What is 20 + 44?\nA: 64.",
    "Quin lived near the garden with a shiny rabbit. He wanted to find a shiny drum for Kofi. Kofi said, "
    "\"Let us take it to the market.\" They looked in the market until the sun went down. In the end, Qui"
    "n was calm and went home.",
    "Finn lived near the river with a red bear. There she found a red stone. The frog was brave, but it w"
    "as kind. Together they carried the stone to the barn. In the end, Finn was happy and went home.",
    "Q: What is 73 + 52?\nA: 125.\nQ: What is 6 * 1?\nA: 6.",
    "Q: Spell boat.\nA: b-o-a-t.",
    "Q: What is 2 * 4?\nA: 8.\nQ: What is 93 - 50?\nA: 43.",
    "Q: What is the opposite of hot?\nA: Cold.\nQ: What is the opposite of day?\nA: Night.\nQ: What is 13"
    " + 0?\nA: 13.",
    "Once there was a quiet hen who lived by the garden. Its friend was Ivo. There she found a quiet drum"
    ". \"Is this your drum?\" asked the dog. They looked in the school until the sun went down. Ivo learn"
    "ed that it is good to ask for help.",
    "Tara lived near the tower with a heavy pony. There he found a heavy stone. A bear came by and said, "
    "\"I can help you.\" Together they carried the stone to the beach. Tara learned that it is good to as"
    "k for help.",
    "One windy day, Omar went to the forest. She wanted to find a lost drum for Uma. \"Is this your drum?"
    "\" asked the rabbit. They looked in the river until the sun went down. At night, Omar told Uma the w"
    "hole story.",
    "Q: Spell barn.\nA: b-a-r-n.\nQ: What is the color of grass?\nA: Green.",
    "Lena lived near the library with a old turtle. There she found a old kite. A goat came by and said, "
    "\"I can help you.\" Together they carried the kite to the forest. In the end, Lena was happy and wen"
    "t home.",
    "One warm day, Kofi went to the tower. There she found a blue shell. Cleo said, \"Let us take it to t"
    "he hill.\" They looked in the hill until the sun went down. From that day, Kofi and the bear were fr"
    "iends.",
    "Q: What is the capital of Canada?\nA: Ottawa.\nQ: What is 63 + 51?\nA: 114.\nQ: What is the capital "
    "of Greece?\nA: Athens.",
    "Q: What is the capital of Greece?\nA: Athens.",
    "Q: What is the number of sides of a triangle?\nA: Three.\nQ: What is the capital of Italy?\nA: Rome.",
    "One windy day, Lena went to the village. He saw a strange coin under a tree. A mouse came by and sai"
    "d, \"I can help you.\" So Lena and the mouse shared an apple and rested. In the end, Lena was happy "
    "and went home.",
    "Q: What is the opposite of big?\nA: Small.\nQ: Spell map.\nA: m-a-p.\nQ: What is 3 + 98?\nA: 101.",
    "Ada lived near the beach with a small hen. She wanted to find a small coin for Gus. Gus said, \"Let "
    "us take it to the forest.\" So Ada and the pony shared an apple and rested. From that day, Ada and t"
    "he pony were friends.",
    "One warm day, Sam went to the beach. He saw a small apple under a tree. \"Is this your apple?\" aske"
    "d the frog. They looked in the hill until the sun went down. In the end, Sam was happy and went home"
    ".",
    "Q: Spell school.\nA: s-c-h-o-o-l.\nQ: What is the number of sides of a triangle?\nA: Three.\nQ: What"
    " is 9 * 12?\nA: 108.",
    "Ada lived near the river with a round dog. There he found a round stone. A mouse came by and said, "
    "\"I can help you.\" Ada gave the mouse a letter and smiled. Ada learned that it is good to ask for h"
    "elp.",
    "Once there was a quiet mouse who lived by the market. Its friend was Yara. He saw a blue lamp under "
    "a tree. The pony was sad, but it was kind. They looked in the kitchen until the sun went down. From "
    "that day, Yara and the pony were friends.",
    "On a windy morning, Finn walked to the market. She had lost her drum and felt calm. The bear was cal"
    "m, but it was kind. Together they carried the drum to the river. At night, Finn told June the whole "
    "story.",
    "On a snowy morning, Omar walked to the school. There he found a shiny letter. \"Is this your letter?"
    "\" asked the pony. Omar gave the pony a ribbon and smiled. In the end, Omar was happy and went home.",
    "One warm day, Finn went to the river. He had lost his drum and felt sad. The frog was sad, but it wa"
    "s kind. Together they carried the drum to the barn. Finn learned that it is good to ask for help.",
    "On a windy morning, Nora walked to the garden. He had lost his key and felt brave. A turtle came by "
    "and said, \"I can help you.\" Nora gave the turtle a boat and smiled. Nora learned that it is good t"
    "o ask for help.",
    NULL,
};
