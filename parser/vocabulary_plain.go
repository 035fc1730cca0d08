package parser

// lengthWords are durations that name a length of market, in seconds.
var lengthWords = map[string]int64{
	"hourly": 3600, "daily": 86400, "weekly": 604800, "monthly": 2592000, "minutely": 60,
	"quarter-hour": 900, "quarter-hours": 900, "quarter hour": 900, "quarter hours": 900, "quarter-hourly": 900, "quarter hourly": 900,
	"half-hour": 1800, "half-hours": 1800, "half hour": 1800, "half hours": 1800, "half-hourly": 1800, "half hourly": 1800,
	"hourlies": 3600, "dailies": 86400, "one-hour": 3600, "four-hour": 14400, "four-hourly": 14400, "4-hourly": 14400, "day long": 86400, "daylong": 86400, "hour long": 3600, "hour-long": 3600, "the hour": 3600, "the day": 86400,
}

// fillers set nothing. No number, comparator, negation, coin, token, time or
// order word is among them.
const fillers = `
a|an|the|this|that|these|those|some|any|all|own
i|me|my|mine|myself|we|us|our|ours|you|your|yours|he|she|someone|somebody|anyone|people|folks|everyone|y'all|yall|ya|u|ur
would|could|can|may|might|must|will|shall|do|does|did|done|doing|have|has|had|having|'ll|'d|'ve|let|lets|let's
want|wants|wanted|wanna|would like|i'd like|id like|gonna|gotta|need|needs|trying|try|tries|aims|aim to|aims to|aiming to|plan|plans|planning
intend|hoping|hope|love|loves|prefer|looking|look|look at|looking at|willing|happy to|able to|i am|i'd|i'll|i've
please|pls|plz|plss|thanks|thank you|thx|ty|cheers|hi|hello|hey|heya|hiya|yo|sup|howdy|greetings|dude|bro|bruh|brother|man|mate
buddy|pal|sir|ser|fam|friend|friends|fren|frens|guys|boys|team|gang|chief|boss|homie|dear|kindly|good morning|good evening|gm|gn
i do mean|mean|means|meaning|meant|that means|what i mean is|um|umm|uh|uhh|uhm|er|erm|hmm|hm|mmm|ah|ahh|oh|ooh|eh|well|so|like
just|basically|literally|really|simply|honestly|frankly|obviously|clearly|maybe|perhaps|probably|possibly|certainly|definitely
absolutely|surely|sure|totally|purely|kinda|sorta|kind of|sort of|you know|ya know|y'know|i guess|i think|i believe|i suppose
i reckon|i figure|i assume|let's say|lets say|let us say|say|say like|shall we say|i'd say|as it were|so to speak|in other words
that is|that is to say|i.e.|ie|e.g.|eg|for example|for instance|such as|namely|viz|aka|in short|in essence|essentially|to be clear
to be precise|mind you|i've got|i got|i have got|we've got|range|price range|band|bc|bcs|etc|etc etc|heads up|what's up|whats up
listen up|up front|upfront|feeling lucky|i'm feeling lucky|im feeling lucky|i'm bullish|i am bullish|im bullish|feeling bullish
i'm bearish|i am bearish|im bearish|feeling bearish|i'm bullish on|i am bullish on|i'm bearish on|i am bearish on|of course
naturally|anyway|anyways|anyhow|whatever|blah|blah blah|etcetera|and so on|and stuff|or something|and all that|ok|okay
okie|alright|all right|right|cool|great|nice|awesome|sweet|perfect thanks|yeah|yep|yup|yea|aye|indeed|aha|hell yeah
only|always|still|even|also|too|ever|already|currently|now|right now|just now|then again|anymore|solely|exclusively|strictly
precisely|simultaneously|at the same time|at that time|at that point|at that moment|at any time|at any point|at any moment|at all
at all times|ofc|specifically|particularly|especially|mainly|mostly|directly|straight away|right away|immediately|instantly|asap
pronto|on the spot|automatically|manually|accordingly|respectively
moon or bust|or bust|to the moon|go big or go home|do or die|sink or swim|win or lose|ride or die|lfg|wagmi|ngmi|degen|degens
degenerate|lol|lmao|haha|hahaha|rofl|tbh|imo|imho|fyi|btw|ngl|fr|idk|smh|omg|wtf|af|iirc|afaik|tldr|tl;dr|hodler|based|legend
legends|chad|giga|bags|send it|let's go|lets go|let's gooo|lfgo|easy money|free money|no brainer|rekt|sheesh|bet bet|bless
respectfully|fingers crossed|wish me luck|good luck|gl|cheers mate|woot|wow|boom|bam|yolo style|for the win|ftw|on god|no cap
deadass|lowkey|highkey|fo sho|for sure|forsure|word|bang|brrr|brr|let's do it|lets do it|let's do this|lets do this|do it|do this
do that|go ahead|here goes|here we go|here it is|here's the plan|here is the plan|here's my idea|here is my idea|here's the idea
here's what i want|here is what i want|here's the deal|here's my strategy|here is my strategy|this is my strategy|my strategy is
the strategy is|the plan is|the idea is|my plan is|my idea is|nothing fancy|nothing else|nothing crazy|that's it|that's all
thats it|thats all|that is it|that is all|that'd be it|end of story|done deal|simple as that|easy peasy|keep it simple
keep things simple|make it simple|plain and simple|pure and simple|super simple|as simple as that|no questions asked
no matter what|no matter|no fuss|no nonsense|no ifs or buts|no ifs no buts|no excuses|no exceptions|come what may
come hell or high water|whatever happens|regardless|regardless of anything|in any case|either way|rain or shine
through thick and thin|at whatever the market gives|at whatever price|at whatever the market pays|at whatever the price is
whatever the price|whatever it is|at whatever it is worth|at whatever price i can get|at whatever i can get|at any price
whatever it takes|at market|at the market|at market price|at the market price|market order|with a market order
using a market order|market orders|by market order|a market order
strategy|strategies|strat|strats|idea|ideas|play|plays|system|rule|rules|logic|algo|bot|approach|method|recipe|scheme|concept
theory|thesis|hypothesis|experiment|scenario|strategy name|trading strategy|trading rule|trading plan|trading system|trader
traders|trading bot|backtester|engine|description|details|detail|parameters|params|settings|config|configuration|spec|input|inputs
requirements|instructions|notes|note|summary|overview|specifics
contract|contracts|share|shares|ticket|tickets|lottery ticket|lottery tickets|option|digital|binary|binaries|binary option|crypto
cryptocurrency|coin|coins|coin name|ticker|symbol|pair|asset|assets|polymarket|on polymarket|poly|exchange|platform|order|orders
position|positions|side bet|holdings|bag|stack|book|order book|orderbook|the book
show|show me|show us|tell|tell me|see|let me see|let me know|check|check out|check how|check if|find out|find out how|find out if
know|wondering|i wonder|i'm wondering|wonder|curious|curious how|curious if|interested|interested in|want to see|want to know
would love to see|i'd love to see|how would|how would that|how would it|how would this|how does|how does that|how does this|how do
how did|how it does|how it did|how it goes|how it would do|how it performs|how that does|how that would do|how that goes
how that performs|how this does|how well|how much would i make|how it works out|how it works|perform|performs|performed|performing
work|works|worked|working|working out|work out|works out|worked out|fare|fares|what if|what if i|what happens if
what would happen if|what would have happened if|what would happen|what about|how about|thinking about|thinking of|thinking
think about|think|consider|considering|could we|can we|can you|could you|would you|will you|can i|could i|may i|shall we|why not
calculate|compute|analyze|analyse|analysis|report|report back|give me the results|give me a report|results|result|returns
outcome of this|give it a try|give it a go|give it a whirl|give it a shot|try this|try it|try out|try it out|run|run the|do a run
give me a backtest|i want a backtest|i need a backtest|backtest this|backtest the following|backtest the strategy
backtest strategy|backtest of|test the following|test the strategy|test out|strategy that|strategy where|the strategy|my strategy
a strategy|following|the following|as follows|below strategy|these rules|this strategy|this one|that one|set up|setup is
setting up|create|build|build me|code|design|define|make a strategy|implement|execute|execution|operate|automate|process|handle
simple|small|smallish|little|tiny|modest|measly|lousy|humble|quick scalp|quick trade|quick flip|quick one|quick test|nice little
basic|classic|standard|easy|clean|clever|smart|silly|stupid|dumb|fun|cute|favorite strategy|pet|new|old school|good old|solid
fixed|flat size|constant|whole|entire|single|one single|full amount|cool cool|random thought
for a bounce|for the bounce|for a rebound|for a scalp|for a quick scalp|for a reversal|for a pop|for a flip|for a quick flip
for a swing|for a ride|for fun|for the fun of it|for a laugh|for shits and giggles|for me|for us|for now|for real|for this
for that|for what it's worth|for once|for the sake of it|for science|for the lulz|for lunch money|for starters|to start
to start with|to begin with|at first|first of all|first off|firstly|secondly|thirdly|lastly|finally|in the end
at the end of the day|all in all|by the way|as well|as always|as such|as is|as-is|as it is|as usual then|in case you wonder
if possible|if you can|if you could|if you please|if you would|if you don't mind|if that makes sense|if that's ok|if it's ok
if that works|if needed|if necessary|if you like|if you will|makes sense|make sense|you get the idea|got it
understood|you see|capisce|mean reversion|mean reversion play|mean-reversion|reversal play|breakout play|momentum play|scalp play
contrarian play|lotto|lotto ticket|lotto tickets|dip buy|dip buying|dip-buying|bottom fishing|bottom-fishing|lottery play
lottery style|buy low sell high|degen play|catch a bounce|catch the bounce|catch a rebound|catching a falling knife
catch a falling knife|knife catch
use of|using|via|through polymarket|by means of|regarding|concerning|about this|as for|as far as|with respect to|in terms of
when it comes to|in that case|in which case|in this case|in such case|in that event|in those markets|in those rounds
in those cases|in these|on these|on those|of these|of those|of them|of it|therein|thereof|there|here|hereby|herein|thus|hence
therefore|thereby|so that|such that|in order to|because|cuz|coz|cause|since i|reason being|which|who|whose|what|how|why|that's
thats|it's been|what's
one entry per market|one entry per round|one trade per market|one trade per round|one trade a round|one bet per round
one bet per market|one position per market|one position per round|once per round|once per market|once a round|once each round
just once|a single entry|single entry|one entry|one trade at a time|only one entry|only one trade per round
only one trade per market|one shot per round|one shot each|max one trade per round|max one entry per market
max one trade per market|at most one trade per round|at most one entry per market|at most one trade per market
at most one entry per round|no more than one trade per round|no more than one entry per round|fees included|including fees
fees and all|all fees included|incl fees|inclusive of fees|entry fee included
resolved|past resolved|available|recorded|archived|captured|consecutive markets|sampled|in the sample|in the archive|of data
of history|worth|total markets|in the backtest|for the backtest|for the test|for this test|for testing|for this backtest
us dollars of it|the rest of the time|whole thing|entire thing|entire position|whole position|full position|everything|the lot
all of it|it all|my position|our position|my shares|my tokens|my contracts|my holdings|the shares|the contracts|the position
the trade|my bag|my bags|the whole lot|that position|this position|that trade|this trade|the token|my token|the tokens
the contract|the share|back to the market|for good|clean out|in full|in one go|all at once
good|any good|is it any good|nice one|very|rather|quite|pretty|fairly|truly|super|such|such a|another idea|person|people's|patient
cautious|careful|lazy|young|old timer|noob|newbie|beginner|amateur|pro|rookie|baby|babe|honey|girl|girls|ladies|gents|gentlemen
lad|lads|kid|kids|genius|wizard|champ|doc|everybody|anybody|anyone else
question|questions|answer|answers|request|task|favor|favour|situation|situations|scenarios|story time|reason|reasons|example
examples|case|use case|matter of fact|as a matter of fact|fact|in fact|the fact|deal|the deal is|the deal|thing is|the thing is
point is|the point is|here's the thing|the trick is|trick|tricks|secret|the secret is|favorite setup|go to setup|bread and butter
homework|project|hobby|study|research|curiosity|out of curiosity|amazing|interesting|beautiful|weird|odd one|clear|obvious|plain
straightforward|lovely|brilliant|excellent|wonderful|fantastic|glad|grateful|thankful|happy|sad|sorry to bother|excited|keen|eager
ready|able|important|possible|wrong|right then|deal with it|dear sir|sincerely|best regards|regards|kind regards|yours truly
thanks in advance|many thanks|thanks a lot|thanks so much|thank you very much|thank you so much|much obliged|appreciated
much appreciated|appreciate it|i'd appreciate|i would appreciate|would appreciate|would be appreciated|i appreciate
protect with|protect it with|protected by|protect|happened|happen|by which|by which i mean|alternatives|options|choices
ingredients|pretend|let's pretend|lets pretend|imagine|imagining|suppose|suppose that|supposed|suppose further|say that
assume that|explain|explained|explaining|describe|described|notice|noticed|noticing|keep noticing|realized|realised|learned|learnt
heard|hear|told|telling|asked|asking|ask you|said|saying|says here|mention|mentioned|talk|talked|talking|wrote|written|writing|saw
watch|watched|watching|thought|wondered|believed|believe|decided|needed|hoped|liked|loved|enjoyed|tried|used to think|used|help
helps|helping|helped|building|built|figured|remember|remembered|forgot|understand|understands|guess|guessed|listen|listening|read
reading|studied|studying|learning|intended|meaning to|been meaning to|been wanting to|been thinking|been wondering
have been meaning to|have been thinking|turns out that|do you mind|would you mind|if you wouldn't mind|never you mind|i don't mind
i don't mind which|don't mind|don't mind which|i do not mind|i don't care which|don't care which|not fussed|not picky|not fussy
keep in mind|in mind|bear with me|bare with me|please bear with me|stay with me|hear me out|trust me|believe me|believe it or not
bet you|you bet|funnily enough|oddly enough|interestingly|i kid you not|no joke|no kidding|no lie|not gonna lie|not going to lie
i swear|swear to god|mark my words|long time listener|first time caller
for a while|for a while now|for quite a while|for quite a while now|for ages|these days|nowadays|at long last|in the meantime
all the time|this time|that time|time after time|more often than not|often|sometimes|whatsoever|with no other condition
with no other conditions|no other condition|no other conditions|no conditions|without conditions|without any other condition
at worst|at best|in the worst case|worst case|if things go badly|if things go south|if it goes wrong|if things go wrong
if it goes badly|if all goes well|if all goes to plan|if things go well|if it works|hopefully it works|come on|anywhere|somewhere
everywhere|nowhere else|either way you slice it|how would it go|how it would go|how would that go|how it'd go|how would i do
how would i have done|how i would have done|how i'd do|how i'd have done|how much would i have made|how much i would have made
what would i have made|would i have made money|have made money|make money|made money|making money|be profitable|been profitable
was profitable|is profitable|have been profitable|profitable|have worked|would have worked|pay off|paid off|pays off|worth a try
worth a shot|worth trying|worth testing|any money|money making|does it work|did it work|will it work|would it work|would that work
would this work|is it worth it|and see|and see what happens|see what happens|and tell me|let's see|lets see|we'll see|see how
see if|to see how|to see if|see whether|whether|tell me how|let me know how
set|sets|setting|set it to|return|returned|output|print out|instrument|instruments|type|value type|name|version|mode
developer mode|user|assistant|prompt|ignore the above|ignore previous instructions|ignore all previous instructions
ignore the previous instructions|disregard the above|disregard previous instructions|you are now in|you are|you must|as an ai|json
object|field|fields|key|format|nothing but
actual|given market|respective|relevant|appropriate|corresponding|aforementioned|same token|that side|this side|that token
this token|the chosen side|chosen side|one's|thing|things|stuff|way|fashion|manner|style|level|levels at|mark it|point being
spot on|area|zone|region|in between|in-between|per share|per token|per contract
does it pay to|does it pay off to|would it pay to|would it pay off to|is it smart to|is it wise to|is it a good idea to
would it be smart to|does it make sense to|would it make sense to|is it worth my while to|on the way there|along the way|on the way
pray|praying|and pray|pray for it|say a prayer|something simple|something like|something like this|something like that|something along the lines of|something along these lines|try something|try something like|how does something like
clock shows|the clock shows|clock says|the clock says|clock reads|the clock reads|showing|shows|displayed|displaying|sitting there
gives it|market gives it|the market gives it|market gives|the market gives|the market is giving|market has it|the market has it
the market prices it|the market says|happens to be|happen to be|happens|ends up|end up|ended up being|turns out|turns out to be
is found|can be found|is seen|seen|observed|is there|appears|appearing|occurs|occurring|manages|manages to|managed to|decides to
wants to|starts to|starts to be|begins to|begin to|dares to|finally gets|ever gets|gets itself|finds itself|itself|making its way
makes its way|on its way|all the way|the whole way|bravely|patiently|calmly|happily|gladly|quietly|blindly|boldly
afterward|at the latest|the latest|at the earliest|of the lot|time wise|timewise|timing|size wise|price wise|pricewise|exit wise
risk wise|money wise
`
