package main
import ("bufio";"encoding/json";"fmt";"os"
"github.com/ladderback/ladderback/parser/grammar"
"github.com/ladderback/ladderback/parser/meaning"
"github.com/ladderback/ladderback/parser/rules"
"github.com/ladderback/ladderback/strategy")
type lab struct{ID,Prompt string; Expect struct{Strategy json.RawMessage; Error string}}
func main(){
 n:=map[string]int{}
 for _,path:=range os.Args[1:]{
 f,_:=os.Open(path); sc:=bufio.NewScanner(f); sc.Buffer(nil,1<<20)
 for sc.Scan(){ var l lab; json.Unmarshal(sc.Bytes(),&l)
  res,ref:=rules.Read(l.Prompt,rules.Overrides{})
  if l.Expect.Strategy==nil { if ref==nil {n["falseaccept"]++} else if ref.Unread {n["refusedue-unread"]++} else {n["refusedue-known"]++}; continue}
  want,err:=strategy.Parse(l.Expect.Strategy); if err!=nil{fmt.Println(l.ID,err);continue}
  if res!=nil { if want.Equal(res.Strategy){n["right"]++}else{n["wrong"]++; fmt.Println("WRONG",l.ID)}; continue}
  if !ref.Unread { n["known"]++; fmt.Printf("KNOWN %s %q\n   %s\n",l.ID,l.Prompt,ref.Message); continue}
  out:=false
  for _,o:=range ref.Obstacles { if !o.Unread {out=true; fmt.Printf("   KNOWNPART %q out=%v why=%s\n",o.Text,o.Outside,o.Why)} }
  if out {n["unread+known"]++} else {n["unread"]++}
  p:=grammar.New(l.Prompt); part:=p.Partial()
  m,err:=meaning.Build(part.Items,meaning.Overrides{})
  s:="FAULT"; if err==nil { s="P differs"; if m.Strategy.Equal(want){s="P equal"} } else {s="FAULT "+err.Error()}
  n[s[:5]]++
  fmt.Printf("%s %s %q\n",s,l.ID,l.Prompt)
  for _,u:=range part.Unread{fmt.Printf("     [%s]",p.Text(u[0],u[1]))}
  fmt.Println()
  if err==nil && s!="P equal" {fmt.Println("   P",m.Strategy.Summary()); fmt.Println("   W",want.Summary())}
  p.Close()
 }}
 fmt.Println(n)
}
