# SPDX-License-Identifier: Apache-2.0
"""Trains the small example model (Llama architecture, byte-level vocabulary) and writes it in the Hugging Face layout."""
import random, time, os, json, sys, torch
from multiprocessing import Pool
import corpus
OUT=os.environ.get("OUT","out"); T=int(os.environ.get("TRAIN_S","240")); BOS,EOS=256,257
def make(seed):
    r=random.Random(seed); b=bytearray(); o=[]
    for _ in range(12000): o.append(BOS); o.extend(corpus.doc(r).encode()); o.append(EOS)
    return o
def main():
    t0=time.time()
    with Pool(16) as p: data=[x for l in p.map(make,range(48)) for x in l]
    data=torch.tensor(data,dtype=torch.int16).cuda(); print("tokens",len(data),time.time()-t0,flush=True)
    from transformers import LlamaConfig, LlamaForCausalLM
    torch.manual_seed(1)
    cfg=LlamaConfig(vocab_size=258,hidden_size=128,intermediate_size=352,num_hidden_layers=6,num_attention_heads=4,num_key_value_heads=2,max_position_embeddings=512,rms_norm_eps=1e-5,rope_theta=10000.0,tie_word_embeddings=True,bos_token_id=BOS,eos_token_id=EOS,hidden_act="silu",attention_bias=False,mlp_bias=False)
    m=LlamaForCausalLM(cfg).cuda(); print("params",sum(p.numel() for p in m.parameters()))
    opt=torch.optim.AdamW(m.parameters(),lr=3e-3,betas=(0.9,0.95),weight_decay=0.05); L=256; B=256; step=0
    mc=torch.compile(m)
    while True:
        el=time.time()-t0
        if el>T: break
        fr=el/T; lr=3e-3*min(1,step/200)*(1-fr*0.98)
        for g in opt.param_groups: g["lr"]=lr
        ix=torch.randint(0,len(data)-L-1,(B,),device="cuda"); x=data[ix[:,None]+torch.arange(L,device="cuda")].long()
        with torch.autocast("cuda",dtype=torch.bfloat16): loss=mc(input_ids=x,labels=x).loss
        opt.zero_grad(); loss.backward(); torch.nn.utils.clip_grad_norm_(m.parameters(),1.0); opt.step(); step+=1
        if step%500==0: print(step,round(loss.item(),4),round(time.time()-t0),flush=True)
    m=m.half().float().eval(); d=f"{OUT}/tiny"; os.makedirs(d,exist_ok=True); m.half().save_pretrained(d,safe_serialization=True); m=m.float()
    ok=n=0; r=random.Random(10**9)
    for _ in range(400):
        q=corpus.qa(r); h,a=q.split("\nA: "); ids=[BOS]+list((h+"\nA: ").encode()); g=m.generate(torch.tensor([ids]).cuda(),max_new_tokens=24,do_sample=False,eos_token_id=[EOS,10],pad_token_id=EOS)[0].tolist()[len(ids):]
        s=bytes(c for c in g if c<256).decode(errors="replace").strip(); ok+= s==a.strip(); n+=1
    print("qa exact",ok,"of",n)
    for pr in ["Q: What is the capital of Kenya?\nA:","Q: What is 27 + 45?\nA:","One sunny day, Ada went to the","Q: Which is the largest of 12, 47 and 30?\nA:","Q: Spell otter.\nA:"]:
        ids=[BOS]+list(pr.encode()); g=m.generate(torch.tensor([ids]).cuda(),max_new_tokens=200,do_sample=False,eos_token_id=[EOS],pad_token_id=EOS)[0].tolist(); print(repr(bytes(c for c in g if c<256).decode(errors="replace")))
    from tokenizers import Tokenizer, models, pre_tokenizers, decoders
    from tokenizers.pre_tokenizers import ByteLevel
    def b2u():
        bs=list(range(33,127))+list(range(161,173))+list(range(174,256)); cs=bs[:]; n=0
        for b in range(256):
            if b not in bs: bs.append(b); cs.append(256+n); n+=1
        return {b:chr(c) for b,c in zip(bs,cs)}
    u=b2u(); vocab={u[b]:b for b in range(256)}; vocab["<s>"]=256; vocab["</s>"]=257
    tk=Tokenizer(models.BPE(vocab=vocab,merges=[])); tk.pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False,use_regex=False); tk.decoder=decoders.ByteLevel(); tk.add_special_tokens(["<s>","</s>"]); tk.save(f"{d}/tokenizer.json"); print(tk.encode("Q: hi é").ids)
    for f in sorted(os.listdir(d)): os.rename(f"{d}/{f}",f"{OUT}/tiny_{f}")
main()
