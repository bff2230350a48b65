/* SPDX-License-Identifier: Apache-2.0 */
/* Made by scripts/embed_calibration.py from scripts/calibration.txt. */
#include "model/calibration_text.h"

const char *const assay_calibration_documents[] = {
    "What is the capital of France?",
    "The capital of France is Paris. It lies on the Seine, has about two million inhabitants, and has bee"
    "n the seat of government for most of the last thousand years.",
    "Write a haiku about rain.",
    "Soft rain on the roof,\na slow drum for the morning.\nThe street shines, then sleeps.",
    "This is my substitute for pistol and ball. With a philosophical flourish Cato throws himself upon hi"
    "s sword; I quietly take to the ship. There is nothing surprising in this. If they but knew it, almos"
    "t all men in their degree, some time or other, cherish very nearly the same feelings towards the oce"
    "an with me. There now is your insular city of the Manhattoes, belted round by wharves as Indian isle"
    "s by coral reefs—commerce surrounds it with her surf. Right and left, the streets take you waterward"
    ". Its extreme downtown is the battery, where that noble mole is washed by waves, and cooled by breez"
    "es, which a few hours previous were out of sight of land.",
    "Look at the crowds of water-gazers there. Circumambulate the city of a dreamy Sabbath afternoon. Go "
    "from Corlears Hook to Coenties Slip, and from thence, by Whitehall, northward. What do you see?—Post"
    "ed like silent sentinels all around the town, stand thousands upon thousands of mortal men fixed in "
    "ocean reveries. Some leaning against the spiles; some seated upon the pier-heads; some looking over "
    "the bulwarks of ships from China; some high aloft in the rigging, as if striving to get a still bett"
    "er seaward peep. But these are all landsmen; of week days pent up in lath and plaster—tied to counte"
    "rs, nailed to benches, clinched to desks.",
    "Explain photosynthesis to a ten year old.",
    "Plants make their own food. They take in water through their roots and a gas called carbon dioxide t"
    "hrough tiny holes in their leaves. Sunlight gives them the energy to turn these two things into suga"
    "r, which feeds the plant, and oxygen, which we breathe. The green colour of leaves comes from chloro"
    "phyll, the stuff that catches the light.",
    "Give me three tips for a job interview.",
    "Here are three tips:\n1. **Prepare examples.** Think of two or three situations in which you solved "
    "a problem, and be ready to describe what you did and what came of it.\n2. **Ask questions.** Find ou"
    "t how the team works, what a normal week looks like, and how success is measured.\n3. **Be on time a"
    "nd be yourself.** A calm, honest answer is worth more than a perfect one.",
    "It has at the same time excited political ambitions and apprehensions which have produced a profound"
    " agitation throughout the civilized world. In this unusual agitation we have forborne from taking pa"
    "rt in any controversy between foreign states and between parties or factions in such states. We have"
    " attempted no propagandism and acknowledged no revolution. But we have left to every nation the excl"
    "usive conduct and management of its own affairs. Our struggle has been, of course, contemplated by f"
    "oreign nations with reference less to its own merits than to its supposed and often exaggerated effe"
    "cts and consequences resulting to those nations themselves.",
    "Nevertheless, complaint on the part of this Government, even if it were just, would certainly be unw"
    "ise. The treaty with Great Britain for the suppression of the slave trade has been put into operatio"
    "n with a good prospect of complete success. It is an occasion of special pleasure to acknowledge tha"
    "t the execution of it on the part of Her Majesty's Government has been marked with a jealous respect"
    " for the authority of the United States and the rights of their moral and loyal citizens.",
    "Translate to French: The weather is nice today and I would like to go for a walk.",
    "Il fait beau aujourd'hui et j'aimerais faire une promenade.",
    "Translate to German: Where is the nearest train station?",
    "Wo ist der nächste Bahnhof? Wenn Sie es eilig haben, nehmen Sie am besten ein Taxi; zu Fuß brauchen "
    "Sie ungefähr zwanzig Minuten.",
    "How then is this? Are the green fields gone? What do they here? But look! here come more crowds, pac"
    "ing straight for the water, and seemingly bound for a dive. Strange! Nothing will content them but t"
    "he extremest limit of the land; loitering under the shady lee of yonder warehouses will not suffice."
    " No. They must get just as nigh the water as they possibly can without falling in. And there they st"
    "and—miles of them—leagues. Inlanders all, they come from lanes and alleys, streets and avenues—north"
    ", east, south, and west.",
    "Yet here they all unite. Tell me, does the magnetic virtue of the needles of the compasses of all th"
    "ose ships attract them thither? Once more. Say you are in the country; in some high land of lakes. T"
    "ake almost any path you please, and ten to one it carries you down in a dale, and leaves you there b"
    "y a pool in the stream. There is magic in it. Let the most absent-minded of men be plunged in his de"
    "epest reveries—stand that man on his legs, set his feet a-going, and he will infallibly lead you to "
    "water, if water there be in all that region.",
    "¿Cuál es la diferencia entre \"ser\" y \"estar\"?",
    "\"Ser\" se usa para características permanentes, como la profesión o el origen: soy médico, somos de"
    " Chile. \"Estar\" se usa para estados y lugares: estoy cansado, la llave está en la mesa.",
    "Solve: a train travels 180 km in 2.5 hours. What is its average speed?",
    "Average speed = distance / time = 180 km / 2.5 h = 72 km/h. So the train travels at 72 kilometres pe"
    "r hour on average.",
    "The convention with Hanover for the abolition of the Stade dues has been carried into full effect un"
    "der the act of Congress for that purpose. A blockade of 3,000 miles of seacoast could not be establi"
    "shed and vigorously enforced in a season of great commercial activity like the present without commi"
    "tting occasional mistakes and inflicting unintentional injuries upon foreign nations and their subje"
    "cts. A civil war occurring in a country, where foreigners reside and carry on trade under treaty sti"
    "pulations is necessarily fruitful of complaints of the violation of neutral rights.",
    "All such collisions tend to excite misapprehensions, and possibly to produce mutual reclamations bet"
    "ween nations which have a common interest in preserving peace and friendship. In clear cases of thes"
    "e kinds I have so far as possible heard and redressed complaints which have been presented by friend"
    "ly powers. There is still, however, a large and an augmenting number of doubtful cases upon which th"
    "e Government is unable to agree with the governments whose protection is demanded by the claimants.",
    "What is 347 * 28?",
    "347 * 28 = 347 * 30 - 347 * 2 = 10410 - 694 = 9716.",
    "Write a Python function that returns the n-th Fibonacci number.",
    "```python\ndef fibonacci(n: int) -> int:\n    \"\"\"Return the n-th Fibonacci number, counting from "
    "zero.\"\"\"\n    if n < 0:\n        raise ValueError(\"n must not be negative\")\n    a, b = 0, 1\n "
    "   for _ in range(n):\n        a, b = b, a + b\n    return a\nfor i in range(10):\n    print(i, fibo"
    "nacci(i))\n```\nThe loop runs n times, so the cost is O(n); no recursion and no table are needed.",
    "A muffled silence reigned, only broken at times by the shrieks of the storm. Each silent worshipper "
    "seemed purposely sitting apart from the other, as if each silent grief were insular and incommunicab"
    "le. The chaplain had not yet arrived; and there these silent islands of men and women sat steadfastl"
    "y eyeing several marble tablets, with black borders, masoned into the wall on either side the pulpit"
    ". Three of them ran something like the following, but I do not pretend to quote:— SACRED TO THE MEMO"
    "RY OF JOHN TALBOT, Who, at the age of eighteen, was lost overboard, Near the Isle of Desolation, off"
    " Patagonia, November 1st, 1836.",
    "THIS TABLET Is erected to his Memory BY HIS SISTER. SACRED TO THE MEMORY OF ROBERT LONG, WILLIS ELLE"
    "RY, NATHAN COLEMAN, WALTER CANNY, SETH MACY, AND SAMUEL GLEIG, Forming one of the boats' crews OF TH"
    "E SHIP ELIZA Who were towed out of sight by a Whale, On the Off-shore Ground in the PACIFIC, Decembe"
    "r 31st, 1839. THIS MARBLE Is here placed by their surviving SHIPMATES. SACRED TO THE MEMORY OF The l"
    "ate CAPTAIN EZEKIEL HARDY, Who in the bows of his boat was killed by a Sperm Whale on the coast of J"
    "apan, August 3d, 1833.",
    "What does this C code do?\n```c\nsize_t count(const char *s, char c)\n{\n    size_t n = 0;\n    whil"
    "e (*s != '\\0') n += *s++ == c;\n    return n;\n}\n```",
    "It counts how often the character `c` occurs in the string `s`. The loop walks over the string until"
    " the terminating zero; the comparison `*s++ == c` is 1 when they are equal and 0 otherwise, and is a"
    "dded to `n`.",
    "Turn this into JSON: Ann, 31, lives in Oslo, likes chess and skiing.",
    "{\"name\": \"Ann\", \"age\": 31, \"city\": \"Oslo\", \"likes\": [\"chess\", \"skiing\"], \"active\":"
    " true, \"score\": 4.75, \"tags\": []}",
    "There are, moreover, many cases in which the United States or their citizens suffer wrongs from the "
    "naval or military authorities of foreign nations which the governments of those states are not at on"
    "ce prepared to redress. I have proposed to some of the foreign states thus interested mutual convent"
    "ions to examine and adjust such complaints. This proposition has been made especially to Great Brita"
    "in, to France, to Spain, and to Prussia. In each case it has been kindly received, but has not yet b"
    "een formally adopted.",
    "The superficial fact that the sharing may be unequal must never blind us to the underlying fact that"
    " there is this sharing, and that the benefit comes in some degree to each man concerned. Normally th"
    "e wage-worker, the man of small means, and the average consumer, as well as the average producer, ar"
    "e all alike helped by making conditions such that the man of exceptional business ability receives a"
    "n exceptional reward for his ability. Something can be done by legislation to help the general prosp"
    "erity; but no such help of a permanently beneficial character can be given to the less able and less"
    " fortunate, save as the results of a policy which shall inure to the advantage of all industrious an"
    "d efficient people who act decently; and this is only another way of saying that any benefit which c"
    "omes to the less able and less fortunate must of necessity come even more to the more able and more "
    "fortunate.",
    "Write an SQL query for the ten customers with the highest total of orders in 2023.",
    "SELECT c.id, c.name, SUM(o.amount) AS total\nFROM customers AS c\nJOIN orders AS o ON o.customer_id "
    "= c.id\nWHERE o.created_at >= '2023-01-01' AND o.created_at < '2024-01-01'\nGROUP BY c.id, c.name\nO"
    "RDER BY total DESC\nLIMIT 10;",
    "How do I undo the last commit in git but keep the changes?",
    "Run `git reset --soft HEAD~1`. The commit is gone from the branch, and its changes are staged, so th"
    "at you can edit them and commit again. If the commit was pushed already, use `git revert HEAD` in pl"
    "ace of it: that makes a new commit which undoes the old one.",
    "THIS TABLET Is erected to his Memory BY HIS WIDOW. Shaking off the sleet from my ice-glazed hat and "
    "jacket, I seated myself near the door, and turning sideways was surprised to see Queequeg near me. A"
    "ffected by the solemnity of the scene, there was a wondering gaze of incredulous curiosity in his co"
    "untenance. This savage was the only person present who seemed to notice my entrance; because he was "
    "the only one who could not read, and, therefore, was not reading those frigid inscriptions on the wa"
    "ll. Whether any of the relatives of the seamen whose names appeared there were now among the congreg"
    "ation, I knew not; but so many are the unrecorded accidents in the fishery, and so plainly did sever"
    "al women present wear the countenance if not the trappings of some unceasing grief, that I feel sure"
    " that here before me were assembled those, in whose unhealing hearts the sight of those bleak tablet"
    "s sympathetically caused the old wounds to bleed afresh.",
    "Oh! ye whose dead lie buried beneath the green grass; who standing among flowers can say—here, here "
    "lies my beloved; ye know not the desolation that broods in bosoms like these. What bitter blanks in "
    "those black-bordered marbles which cover no ashes! What despair in those immovable inscriptions! Wha"
    "t deadly voids and unbidden infidelities in the lines that seem to gnaw upon all Faith, and refuse r"
    "esurrections to the beings who have placelessly perished without a grave. As well might those tablet"
    "s stand in the cave of Elephanta as here.",
    "# Release notes\n## Version 2.4.1 (2021-03-17)\n- Fixed: a crash when the configuration file is empt"
    "y (#1182)\n- Fixed: wrong line numbers in warnings on Windows\n- Changed: `--verbose` prints the tim"
    "e of each step, e.g. `[12:04:55] build: 3.2 s`\n- Added: support for `https://example.org/feed.xml?p"
    "age=2&size=50`",
    "| item | price | quantity | total |\n|---|---|---|---|\n| paper, A4 | 4.50 | 10 | 45.00 |\n| pencils"
    " | 0.35 | 24 | 8.40 |\n| stapler | 7.99 | 1 | 7.99 |\n| **sum** | | | **61.39** |",
    "Summarize: The committee met on Tuesday to discuss the new library. Costs have risen by a fifth sinc"
    "e the plan was drawn up, chiefly because of the roof. Two members wanted to wait a year; the others "
    "held that waiting would only make it dearer.",
    "The committee discussed the new library, whose cost has risen by 20 % because of the roof. Most memb"
    "ers want to build now, since a delay would cost more.",
    "If, therefore, the less fortunate man is moved by envy of his more fortunate brother to strike at th"
    "e conditions under which they have both, though unequally, prospered, the result will assuredly be t"
    "hat while danger may come to the one struck at, it will visit with an even heavier load the one who "
    "strikes the blow. Taken as a whole we must all go up or down together. Yet, while not merely admitti"
    "ng, but insisting upon this, it is also true that where there is no governmental restraint or superv"
    "ision some of the exceptional men use their energies not in ways that are for the common good, but i"
    "n ways which tell against this common good.",
    "The fortunes amassed through corporate organization are now so large, and vest such power in those t"
    "hat wield them, as to make it a matter of necessity to give to the sovereign-that is, to the Governm"
    "ent, which represents the people as a whole-some effective power of supervision over their corporate"
    " use. In order to insure a healthy social and industrial life, every big corporation should be held "
    "responsible by, and be accountable to, some sovereign strong enough to control its conduct.",
    "Subject: Meeting on Thursday\nDear Mr. Okafor,\nthank you for your message of 12 May. I am afraid th"
    "at I cannot come on Thursday at 10:30, since I shall be travelling from Hamburg to Vienna; would Fri"
    "day at 14:00 suit you? Please let Ms. Lindqvist know (phone: +43 1 555 0199).\nKind regards,\nE. Mar"
    "chetti",
    "Tell me a short story about a lighthouse keeper.",
    "Old Marta had kept the light for forty years. Every evening she climbed the ninety-one steps, wound "
    "the clockwork and lit the lamp. One winter night the lamp went out, and a ship was near. Marta ran d"
    "own, took every candle in the house, and set them in the windows. The captain saw a whole house shin"
    "ing where one light should have been, and turned his ship in time. \"I thought it was a star that ha"
    "d sat down to rest,\" he told her in the morning.",
    "Who wrote Hamlet, and when?",
    "I have forgotten to mention that, in many things, Queequeg placed great confidence in the excellence"
    " of Yojo's judgment and surprising forecast of things; and cherished Yojo with considerable esteem, "
    "as a rather good sort of god, who perhaps meant well enough upon the whole, but in all cases did not"
    " succeed in his benevolent designs. Now, this plan of Queequeg's, or rather Yojo's, touching the sel"
    "ection of our craft; I did not like that plan at all. I had not a little relied upon Queequeg's saga"
    "city to point out the whaler best fitted to carry us and our fortunes securely.",
    "But as all my remonstrances produced no effect upon Queequeg, I was obliged to acquiesce; and accord"
    "ingly prepared to set about this business with a determined rushing sort of energy and vigor, that s"
    "hould quickly settle that trifling little affair. Next morning early, leaving Queequeg shut up with "
    "Yojo in our little bedroom—for it seemed that it was some sort of Lent or Ramadan, or day of fasting"
    ", humiliation, and prayer with Queequeg and Yojo that day; how it was I never could find out, for, t"
    "hough I applied myself to it several times, I never could master his liturgies and XXXIX Articles—le"
    "aving Queequeg, then, fasting on his tomahawk pipe, and Yojo warming himself at his sacrificial fire"
    " of shavings, I sallied out among the shipping.",
    "William Shakespeare wrote *Hamlet* around the year 1600. The play is set in Denmark, and tells how P"
    "rince Hamlet seeks revenge on his uncle Claudius, who has murdered Hamlet's father, taken the throne"
    " and married Hamlet's mother.",
    "I feel tired all the time. What could be the reason?",
    "There are many possible reasons: too little sleep, stress, too little exercise, an unbalanced diet, "
    "or an illness such as anaemia or a thyroid problem. If it lasts for more than a few weeks, please se"
    "e a doctor, who can do a blood test. Until then it helps to go to bed at the same time each day and "
    "to avoid coffee after noon.",
    "<html><head><title>Hello</title><style>body { margin: 0; font: 14px/1.4 sans-serif; }</style></head>"
    "\n<body><h1 id=\"top\">Hello, world!</h1><p class=\"note\">It's <em>five</em> o'clock &amp; all is w"
    "ell.</p>\n<script>for (let i = 0; i < 3; i++) { console.log(`line ${i}`, Math.sqrt(i)); }</script></"
    "body></html>",
    "I am in no sense hostile to corporations. This is an age of combination, and any effort to prevent a"
    "ll combination will be not only useless, but in the end vicious, because of the contempt for law whi"
    "ch the failure to enforce law inevitably produces. We should, moreover, recognize in cordial and amp"
    "le fashion the immense good effected by corporate agencies in a country such as ours, and the wealth"
    " of intellect, energy, and fidelity devoted to their service, and therefore normally to the service "
    "of the public, by their officers and directors.",
    "The corporation has come to stay, just as the trade union has come to stay. Each can do and has done"
    " great good. Each should be favored so long as it does good. But each should be sharply checked wher"
    "e it acts against law and justice. So long as the finances of the Nation are kept upon an honest bas"
    "is no other question of internal economy with which the Congress has the power to deal begins to app"
    "roach in importance the matter of endeavoring to secure proper industrial conditions under which the"
    " individuals-and especially the great corporations-doing an interstate business are to act.",
    "The derivative of f(x) = x^3 - 4x + 1 is f'(x) = 3x^2 - 4. It is zero where x = 2/sqrt(3) or x = -2/"
    "sqrt(3), that is near 1.1547 and -1.1547; the first is a minimum, the second a maximum. For large x "
    "the cubic term dominates, so f goes to infinity.",
    "你好，请用一句话介绍一下你自己。",
    "我是一个语言模型，可以回答问题、写文章、翻译和编写程序。",
    "Привет! Как тебя зовут и что ты умеешь?",
    "After much prolonged sauntering and many random inquiries, I learnt that there were three ships up f"
    "or three-years' voyages—The Devil-dam, the Tit-bit, and the Pequod. Devil-Dam, I do not know the ori"
    "gin of; Tit-bit is obvious; Pequod, you will no doubt remember, was the name of a celebrated tribe o"
    "f Massachusetts Indians; now extinct as the ancient Medes. I peered and pryed about the Devil-dam; f"
    "rom her, hopped over to the Tit-bit; and finally, going on board the Pequod, looked around her for a"
    " moment, and then decided that this was the very ship for us.",
    "You may have seen many a quaint craft in your day, for aught I know;—square-toed luggers; mountainou"
    "s Japanese junks; butter-box galliots, and what not; but take my word for it, you never saw such a r"
    "are old craft as this same rare old Pequod. She was a ship of the old school, rather small if anythi"
    "ng; with an old-fashioned claw-footed look about her. Long seasoned and weather-stained in the typho"
    "ons and calms of all four oceans, her old hull's complexion was darkened like a French grenadier's, "
    "who has alike fought in Egypt and Siberia.",
    "$ ls -la /var/log | head -3\ntotal 2104\ndrwxr-xr-x 12 root root   4096 Jan  5 06:25 .\n-rw-r----- 1"
    " syslog adm 183742 Jan  5 11:59 syslog\nTraceback (most recent call last):\n  File \"main.py\", line"
    " 42, in <module>\n    print(values[key] / total)\nZeroDivisionError: division by zero",
    "They recognize that human welfare has not increased and does not increase through mere materialism a"
    "nd luxury, but that it does progress through integrity, unselfishness, responsibility and justice. I"
    "n the past few months, as a result of our action, we have demanded of many citizens that they surren"
    "der certain licenses to do as they please in their business relationships; but we have asked this in"
    " exchange for the protection which the State can give against exploitation by their fellow men or by"
    " combinations of their fellow men.",
    "I congratulate this Congress upon the courage, the earnestness and the efficiency with which you met"
    " the crisis at the Special Session. It was your fine understanding of the national problem that furn"
    "ished the example which the country has so splendidly followed. I venture to say that the task confr"
    "onting the First Congress of 1789 was no greater than your own. I shall not attempt to set forth eit"
    "her the many phases of the crisis which we experienced last March, or the many measures which you an"
    "d I undertook during the Special Session that we might initiate recovery and reform.",
    "Yet is it no easy task. The classification of the constituents of a chaos, nothing less is here essa"
    "yed. Listen to what the best and latest authorities have laid down. \"No branch of Zoology is so muc"
    "h involved as that which is entitled Cetology,\" says Captain Scoresby, A.D. 1820. \"It is not my in"
    "tention, were it in my power, to enter into the inquiry as to the true method of dividing the cetace"
    "a into groups and families.... Utter confusion exists among the historians of this animal\" (sperm w"
    "hale), says Surgeon Beale, A.D.",
    "1839. \"Unfitness to pursue our research in the unfathomable waters.\" \"Impenetrable veil covering "
    "our knowledge of the cetacea.\" \"A field strewn with thorns.\" \"All these incomplete indications b"
    "ut serve to torture us naturalists.\" Thus speak of the whale, the great Cuvier, and John Hunter, an"
    "d Lesson, those lights of zoology and anatomy. Nevertheless, though of real knowledge there be littl"
    "e, yet of books there are a plenty; and so in some small degree, with cetology, or the science of wh"
    "ales. Many are the men, small and great, old and new, landsmen and seamen, who have at large or in l"
    "ittle, written of the whale.",
    "It is sufficient that I should speak in broad terms of the results of our common counsel. The credit"
    " of the Government has been fortified by drastic reduction in the cost of its permanent agencies thr"
    "ough the Economy Act. With the twofold purpose of strengthening the whole financial structure and of"
    " arriving eventually at a medium of exchange which over the years will have less variable purchasing"
    " and debt paying power for our people than that of the past, I have used the authority granted me to"
    " purchase all American-produced gold and silver and to buy additional gold in the world markets.",
    "Careful investigation and constant study prove that in the matter of foreign exchange rates certain "
    "of our sister Nations find themselves so handicapped by internal and other conditions that they feel"
    " unable at this time to enter into stabilization discussion based on permanent and world-wide object"
    "ives. The overwhelming majority of the banks, both national and State, which reopened last spring, a"
    "re in sound condition and have been brought within the protection of Federal insurance.",
    "Run over a few:—The Authors of the Bible; Aristotle; Pliny; Aldrovandi; Sir Thomas Browne; Gesner; R"
    "ay; Linnaeus; Rondeletius; Willoughby; Green; Artedi; Sibbald; Brisson; Marten; Lacepede; Bonneterre"
    "; Desmarest; Baron Cuvier; Frederick Cuvier; John Hunter; Owen; Scoresby; Beale; Bennett; J. Ross Br"
    "owne; the Author of Miriam Coffin; Olmstead; and the Rev. T. Cheever. But to what ultimate generaliz"
    "ing purpose all these have written, the above cited extracts will show. Of the names in this list of"
    " whale authors, only those following Owen ever saw living whales; and but one of them was a real pro"
    "fessional harpooneer and whaleman.",
    "I mean Captain Scoresby. On the separate subject of the Greenland or right-whale, he is the best exi"
    "sting authority. But Scoresby knew nothing and says nothing of the great sperm whale, compared with "
    "which the Greenland whale is almost unworthy mentioning. And here be it said, that the Greenland wha"
    "le is an usurper upon the throne of the seas. He is not even by any means the largest of the whales."
    " Yet, owing to the long priority of his claims, and the profound ignorance which, till some seventy "
    "years back, invested the then fabulous or utterly unknown sperm-whale, and which ignorance to this p"
    "resent day still reigns in all but some few scientific retreats and whale-ports; this usurpation has"
    " been every way complete.",
    "In the case of those banks which were not permitted to reopen, nearly six hundred million dollars of"
    " frozen deposits are being restored to the depositors through the assistance of the national Governm"
    "ent. We have made great strides toward the objectives of the National Industrial Recovery Act, for n"
    "ot only have several millions of our unemployed been restored to work, but industry is organizing it"
    "self with a greater understanding that reasonable profits can be earned while at the same time prote"
    "ction can be assured to guarantee to labor adequate pay and proper conditions of work.",
    "But how can I hope to explain myself here; and yet, in some dim, random way, explain myself I must, "
    "else all these chapters might be naught. Though in many natural objects, whiteness refiningly enhanc"
    "es beauty, as if imparting some special virtue of its own, as in marbles, japonicas, and pearls; and"
    " though various nations have in some way recognised a certain royal preeminence in this hue; even th"
    "e barbaric, grand old kings of Pegu placing the title \"Lord of the White Elephants\" above all thei"
    "r other magniloquent ascriptions of dominion; and the modern kings of Siam unfurling the same snow-w"
    "hite quadruped in the royal standard; and the Hanoverian flag bearing the one figure of a snow-white"
    " charger; and the great Austrian Empire, Caesarian, heir to overlording Rome, having for the imperia"
    "l colour the same imperial hue; and though this pre-eminence in it applies to the human race itself,"
    " giving the white man ideal mastership over every dusky tribe; and though, besides, all this, whiten"
    "ess has been even made significant of gladness, for among the Romans a white stone marked a joyful d"
    "ay; and though in other mortal sympathies and symbolizings, this same hue is made the emblem of many"
    " touching, noble things—the innocence of brides, the benignity of age; though among the Red Men of A"
    "merica the giving of the white belt of wampum was the deepest pledge of honour; though in many clime"
    "s, whiteness typifies the majesty of Justice in the ermine of the Judge, and contributes to the dail"
    "y state of kings and queens drawn by milk-white steeds; though even in the higher mysteries of the m"
    "ost august religions it has been made the symbol of the divine spotlessness and power; by the Persia"
    "n fire worshippers, the white forked flame being held the holiest on the altar; and in the Greek myt"
    "hologies, Great Jove himself being made incarnate in a snow-white bull; and though to the noble Iroq"
    "uois, the midwinter sacrifice of the sacred White Dog was by far the holiest festival of their theol"
    "ogy, that spotless, faithful creature being held the purest envoy they could send to the Great Spiri"
    "t with the annual tidings of their own fidelity; and though directly from the Latin word for white, "
    "all Christian priests derive the name of one part of their sacred vesture, the alb or tunic, worn be"
    "neath the cassock; and though among the holy pomps of the Romish faith, white is specially employed "
    "in the celebration of the Passion of our Lord; though in the Vision of St.",
    "John, white robes are given to the redeemed, and the four-and-twenty elders stand clothed in white b"
    "efore the great-white throne, and the Holy One that sitteth there white like wool; yet for all these"
    " accumulated associations, with whatever is sweet, and honourable, and sublime, there yet lurks an e"
    "lusive something in the innermost idea of this hue, which strikes more of panic to the soul than tha"
    "t redness which affrights in blood. This elusive quality it is, which causes the thought of whitenes"
    "s, when divorced from more kindly associations, and coupled with any object terrible in itself, to h"
    "eighten that terror to the furthest bounds.",
    "Witness the white bear of the poles, and the white shark of the tropics; what but their smooth, flak"
    "y whiteness makes them the transcendent horrors they are? That ghastly whiteness it is which imparts"
    " such an abhorrent mildness, even more loathsome than terrific, to the dumb gloating of their aspect"
    ". So that not the fierce-fanged tiger in his heraldic coat can so stagger courage as the white-shrou"
    "ded bear or shark.* *With reference to the Polar bear, it may possibly be urged by him who would fai"
    "n go still deeper into this matter, that it is not the whiteness, separately regarded, which heighte"
    "ns the intolerable hideousness of that brute; for, analysed, that heightened hideousness, it might b"
    "e said, only rises from the circumstance, that the irresponsible ferociousness of the creature stand"
    "s invested in the fleece of celestial innocence and love; and hence, by bringing together two such o"
    "pposite emotions in our minds, the Polar bear frightens us with so unnatural a contrast.",
    "But even assuming all this to be true; yet, were it not for the whiteness, you would not have that i"
    "ntensified terror. As for the white shark, the white gliding ghostliness of repose in that creature,"
    " when beheld in his ordinary moods, strangely tallies with the same quality in the Polar quadruped. "
    "This peculiarity is most vividly hit by the French in the name they bestow upon that fish. The Romis"
    "h mass for the dead begins with \"Requiem eternam\" (eternal rest), whence Requiem denominating the "
    "mass itself, and any other funeral music.\n",
    NULL,
};
