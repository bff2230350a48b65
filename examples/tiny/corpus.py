# SPDX-License-Identifier: Apache-2.0
"""Makes the training text of the small example model: short stories, facts and sums in plain English, all from this file's own templates."""
import random
NAMES="Ada Ben Cleo Dan Eva Finn Gus Hana Ivo June Kofi Lena Milo Nora Omar Pia Quin Rosa Sam Tara Uma Vik Wren Yara Zoe".split()
ANIM=["fox","owl","cat","dog","hen","bear","frog","goat","crow","mouse","otter","rabbit","turtle","pony"]
PLACE=["forest","garden","river","hill","market","barn","school","beach","library","kitchen","tower","village"]
THING=["lamp","kite","book","key","map","shell","coin","drum","boat","apple","clock","letter","stone","ribbon"]
ADJ=["small","red","old","quiet","bright","heavy","blue","round","shiny","strange","warm","lost"]
MOOD=["happy","sad","curious","brave","sleepy","proud","worried","calm"]
WX=["sunny","rainy","windy","snowy","foggy","warm"]
COLOR=["red","blue","green","yellow","white","black","brown","grey"]
FACTS=[("the capital of France","Paris"),("the capital of Japan","Tokyo"),("the capital of Italy","Rome"),("the capital of Egypt","Cairo"),("the capital of Spain","Madrid"),("the capital of Kenya","Nairobi"),("the capital of Peru","Lima"),("the capital of Norway","Oslo"),("the capital of Canada","Ottawa"),("the capital of Ghana","Accra"),("the capital of Greece","Athens"),("the capital of Cuba","Havana"),("the color of snow","white"),("the color of grass","green"),("the color of coal","black"),("the number of days in a week","seven"),("the number of months in a year","twelve"),("the number of legs of a spider","eight"),("the number of sides of a triangle","three"),("the opposite of hot","cold"),("the opposite of up","down"),("the opposite of day","night"),("the opposite of big","small"),("the largest ocean","the Pacific"),("the metal with the symbol Fe","iron"),("the metal with the symbol Au","gold"),("the gas that plants breathe in","carbon dioxide"),("the planet nearest the sun","Mercury"),("the planet with the great rings","Saturn")]
def story(r):
    n,m=r.sample(NAMES,2); a,b=r.sample(ANIM,2); art="an" if a[0] in "aeiou" else "a"; bart="An" if b[0] in "aeiou" else "A"; p,q=r.sample(PLACE,2); t,u=r.sample(THING,2); d,e=r.sample(ADJ,2); w=r.choice(WX); mo=r.choice(MOOD); he=r.choice(["he","she"]); his={"he":"his","she":"her"}[he]; He=he.capitalize()
    s=[r.choice([f"One {w} day, {n} went to the {p}.",f"On a {w} morning, {n} walked to the {p}.",f"{n} lived near the {p} with a {d} {a}.",f"Once there was a {d} {a} who lived by the {p}. Its friend was {n}."])]
    s.append(r.choice([f"There {he} found a {d} {t}.",f"{He} saw a {e} {t} under a tree.",f"{He} wanted to find a {d} {t} for {m}.",f"{He} had lost {his} {t} and felt {mo}."]))
    s.append(r.choice([f"{bart} {b} came by and said, \"I can help you.\"",f"\"Is this your {t}?\" asked the {b}.",f"{m} said, \"Let us take it to the {q}.\"",f"The {b} was {mo}, but it was kind."]))
    s.append(r.choice([f"Together they carried the {t} to the {q}.",f"{n} gave the {b} a {u} and smiled.",f"They looked in the {q} until the sun went down.",f"So {n} and the {b} shared an apple and rested."]))
    s.append(r.choice([f"In the end, {n} was {r.choice(['happy','proud','calm'])} and went home.",f"From that day, {n} and the {b} were friends.",f"{n} learned that it is good to ask for help.",f"At night, {n} told {m} the whole story."]))
    return " ".join(s)
def qa(r):
    k=r.random()
    if k<0.45:
        op=r.choice("++--*"); x=r.randint(0,99) if op!="*" else r.randint(0,12); y=r.randint(0,99) if op!="*" else r.randint(0,12)
        if op=="-" and y>x: x,y=y,x
        v={"+":x+y,"-":x-y,"*":x*y}[op]; return f"Q: What is {x} {op} {y}?\nA: {v}."
    if k<0.8:
        f,v=r.choice(FACTS); return f"Q: What is {f}?\nA: {v[0].upper()+v[1:]}."
    if k<0.9:
        xs=r.sample(range(1,60),3); return f"Q: Which is the largest of {xs[0]}, {xs[1]} and {xs[2]}?\nA: {max(xs)}."
    w=r.choice(ANIM+PLACE+THING); return f"Q: Spell {w}.\nA: {'-'.join(w)}."
def doc(r): return story(r) if r.random()<0.5 else "\n".join(qa(r) for _ in range(r.randint(1,3)))
