package parser

// ordinaryWords are common English words one letter away from a word of the
// vocabulary. They are never read as a misspelling of it: "power" is not
// "lower".
const ordinaryWords = `
abandons abject abode abort abound accounts acquired actin actions activated activates acton addiction additions adjusts adrift advise afield afloat
agent agents aggregated aggregates aging agreed ahmad aided aides aires airing airs alain albert albright algorithms alice allen allied allies
allocated ally aloe alter alternates alternative alves amateurs america americana americans americas ames among ample analysed analyzed analyzer
analyzes anders ange anna announcements announcers ants aorta appealing appeals appear apples apply appropriated arabs archie ardent arena aries arise
arisen arises arising arming arrived arrow ascent asean asians assent assert asserts asses assess assistants assumed assumes assure assuring athena
attempts attentions atypical auction audition augusta australia australians automata automated autos avenue avenues averaged aversion avert avery
avian avid avril awhile baden badge badger badges bagging baiting baller ballet banda banding banger banging bangs banked banner banning bans bargains
barge barks barley barns barry basel bashed bashing basics basil basin basins bass batting bayer baylor beach beaches bead beaded beak beams beards
beast beater beating beats become bedding beers beets began beginners beginnings begun bein beings bello bells belly bench bender bending benin benny
bering bess bette beverage biased bien billed billing billions billy binding bing birthdays bitch bitten bladder blank bleak bleep blend blending
blends blight bling bliss bloc bloch blocks bloke blow blower blows bobby boeing boiling boils bondi bonus boobs booing bookings booming booms boos
boots border borders borrows bosses bothers bouncy bound bounded bout bowel bowen bower brad brains brake braking branches brand brash bravery breach
breached breaches breaching breakfasts bred breed breeding breeds breen brent brick bricks bright bring brings broad brock brooke brooks brothel
brothers brought brown brows brunch bucky budding bugged bugger buick buildings builds bulbs bulge bullion bully bumble bummer bundy bunny burch
burned burns burrow bursts burying busch buses bushes buster busty butch butler butte butters buttery butts buyer buzzed cable cafes cages cain
calculated calculates calder calendars calle called callers calling calls calmer calves camp camped camry canadians cancer cancers candidates candies
canes cannon capes capita capitals capitol capture captures carey carly carr cart carter cary casey cashed casing cass castes casts catchy catered
caters cath caused cautions caves ceased ceases ceilings cellar cello cells center centered centering centers certainty chai chains chair champs chan
chang channing chant chanted chanting chap char charge charged charges charging charm charts chase chases chat cheat cheater checks cheek cheeks cheer
cheery chef chiefs chile chills chimp chin ching choice chooses chopping chump chun chung chunky cider clamp clan clans clapped clash clashed clashes
classics cleaning cleanly cleans clears cleary cleaver click climber clipped clipping clips cloak clocks cloned clones cloning closest closets clove
cloves clump clumps coarse coasts coating coats cock codes coding coffers coils cold colds coles collab collars collects colo colon colors colours
colts combine combines combing combs comet comets comey comin commie commits comms commute commuter comparisons competed completes compounds computed
computers concepts cones coney conferences configurations conform conor cons conservatives considerable considers constants cont contact contacts
contiguous continent contrast contrasts convent converts cookie cooking coop coping copying cords core cores corning corrections correlate correlates
correlations cosmo costa costly couch couches coulda coulter counted counters counts county coupe couples courses court cousins cove covers coward
cowards cowell crabs cramer cramp crate crates cray craze cream crease created creates cree creed creek creeks creepy crest crete cried cries cripple
crises criss crock cropped crossings crow crowds crowe crown crush crushed crushes crushing crust crying cunning cunt cunts curing currents curry
curse cutter cuttings cysts dagger dairy daisies daisy daly damping dare dared daring darts dashing dated deadline deadlines deans dearth deaths
debate debates deceased deceit deeds deems deen deepen defending deference defined defines delia della denny dense deport dept depths derail descent
descriptions deserve designs detain developed developers deviations devine diamonds diced dicks died differ differences digger dined ding dining
dinner directions disable discard discounts disks displaced displacing distanced distances divas divers dividend divine doable doesn doin dolls dong
donna dons doped doses dosing doubly doubted doubting dover draft drafted drafting drafts draining drains dram dreading dreams dreamt dreamy dress
dried dries drives driving drown drying ducks dukes dumas dumber duped dutch dyeing earl earle earned earring earrings east easter eaters ebooks
editing edits eels ejection elect electron electrons ellen emails emergence emery emil emits empire empires ending engines ensure entice erased erect
erection erick eros ester esters ethel europa europeans evacuate evaluated evaluates evans everyones ewing excels exception excerpt exchanged excite
excites exciting excuse excused executed executes executions exert exist existing exists exited expansive expect expects experiments explains export
exports exposures extensive fable faces facing faction factual faded failings fairs fairy faked fallon fame fandom fanny fared farms farrow farther
farts fashions fates father fatter favors favours fears feast feather feeding feelin feelings fellow fellows fender ferns fiber fibres fiddle fighter
fights filed filing filler fillet filly filmed filth finale finals finance finding fined finer fines finger finishers finnish fins fired firsts firth
fist fitch fitter fixes flack flame flames flapping flaps flares flats flatter flavor flavored flavour flavoured flaws fliers flies flight flipped
flock flood floors floss flour flower flown flyers focal folding folds folk follower fond font footy foray fore forecasts forge forged forgets forgo
forked forma formally forman formats forms fort forte forts fought founding fours foyer fractions frail framed fran france frances francis franck
franco frank franks franz freak freaking freaks freed frees frick friction frida fries fright frills fronts frost frown fryer frying fucks fudge
fueling fuels fumble fumbled fumbles fund funny furious fused fusing gagging gaius gallen gambler gamer gamers gander gaping garry gassed gates gather
gears geeks gender genes gent gentleman gentry germs gettin giggle giggled giles girly gland glands glide gliding glock gloves glowing glows gmail
goggles goin goings golds googled goons goose gower gown gowns graceful grad grade graded grader graders grades grading grads grail grained grains
grams gran grande grange grant gras grass gravely greats greedy greek greeks greene greer greet greeting greets greta grind gripped gripping groan
groin groping grossed grossing grounds growling guesses guest guests guild guilt gulls gunna gunner gunners gunning gushing gusts gutter hacking hacks
hades hahah hails hain hairs hale hales hall hallway halted halting hammers hamper handel handled handler handles handy hanged hanging hangs hank
hanna hans hare harp harrow harry hart hast hatched hatchet hating haunt haven havens havin headings headlined headliner heady healed healing heals
healy heap hearing heart heated heath heather heating heats heave heck heels height heir heirs hella helms helper herd herding herds hereafter heres
heresy heroin hicks hides hiding higgs hiked hill hilly hinting hippy hires historia hitch hitter hoard hobbs hodge hodges holden holder holed holes
holliday hollow homes homing homme honesty hoods hooking hoops hoot hopes hopped horse hose hoses hosting hosts hough hound hover howard howell howie
hubble hubby humbled humbling humbly humor humour hundreds hunk hunter hushed hyped hypotheses ignored imagined imagines imaging imbalances implements
implies imply incest include includes increment indexed influence influenced influences ingredient initials injure inks inner inning innings insiders
insides instincts instruction insured insurer intends intent inter interests internal invent inventing investments iphone itch jacking jacks jagger
jails james jeans jelly jenner jenny jerks jingle joins joint joints jokes jonas judge judged judges jules jumper kappa keeper kelley kenny kettle
kicker kicks kilda killed killing kindle kings kinks kissed kmart knight knights knows kroger lace lack lacking lacks ladders lagging land lander
landon lanes lange laps lapsed largo larry laser lashing lasted latent laterally latex latter laude laughs lawsuits lawyer layers laying layout lays
leach leaders leaked leaking lean leaned leanings leaping lear learn learner learns leases leash leasing leather leaves leaving ledge leds legion
lender lending lengthy lenny lest letter levers liberally lice licks lied lifted lighten lighter lightly lights likes lilly limb limbs linda lined
linger lingers linked linking links linus lips liquids listened listeners listens lister liter litter lived livelihood lively liver living lizard
loader loans loaves lobby lobes locale locals locking locks lodging logging login lone lonely longed lookin looming looms looping loops loosen looser
loosing looting losers lotte lovell lover lovers lowell lowers lowly loyal lucy lumber lumen lump lying lynch lyndon machete macro madly magi maher
mail mails mains makers makin males mall mallet malls malone managers manger manic manly manned manners mans mapping mares marge margins marin marked
marker markers marking marlin marrow marry mart martial martin marvin mash masked massage master matched mater mates mating matte matteo matters
maximus mayday mayne mclean meager meals meanings meat meats medic medina melts mending mens ment mentions menus messaged messages methods mets micky
mighty milling millions milly mimi mimics mince minds mines mingle minimized mints mirrors misses mitch mixed moaning moans modal models modem
moderated moderates modes modesty molding molds moles monet monkey mons mont monte moods mooney moors moose mornin morons morrow morse morty motel
moth moths mound mounts mourning mouths movements movers movies movin mower mowing moyes muddy mules multiply mumble nagging nails named names nancy
napping narrowed narrows national nearby neatly needy neighbors neighbour nelly nerds nested neuer neural newbies niches nicks nicky niece nifty
nigger nigh nikki nimble nipple nodes nominate nominated noose norma norman norse noses noted nothin noticeable noting novice nudge nukes numbers oars
oasis objectives objects oblige observe observer observes occur occurrence officer offices officials offsets older olds ones opener openings operated
operates oppose opposes opposites optical optimist optimized optimus orally orange others otter ouch ought ounce ounces outlet outperform outputs
outside oven ovens overalls overlay oversight overtly owens owing owns pace pacing packed packet packs padding paging pain pained pains painted
painting palace palin pallet pans panting pants parameter parent paris parks parry passer passes pasted patched patent patients patio patting pause
paused payer payouts payroll peace peach peaches pears pearson peed peeling peeps penn pens peoples percentages performances performer periods perky
persist persona persons petty phased phases phelps phoned phones phony phrase pickled picks pieces pierce pierson pike pilot pilots pinched ping pings
pinky pinning pinot pinterest pissed pisses pitch placed places plaid plane planes planks plano plant planting plants plate platforms playa player
playin playing pleading pleads pleas pleased pleases plight pluck plugged plugging plump pointe pointed pointing pointy pokes poles polled polling
polly pond pondering ponds pont pools pooping popper poppins porta portfolios portions poses posing posting posts potion potions pottery pouch pouches
pounce pours power praise praying prays preach preached preaching precious predictions predicts prefect preferable preference prefers premise premiums
pres preserve pressured pressures pretends prick pricks pride prime primed prince princes printer priory prize prized prizes probable profess profiled
profiles projected projects prompts prone proportions props protects protest protested proto protocols provide provider provides prowess pryor pulley
punk punter pups purchasers purge purged purging pussy putter pyramids quack quad quan quartet queues quirk quits quot quota quotes races racket
racking racks radio rage rages raging raiding raids rail rained rainy raised raiser raises raising rambling ranches randle rang ranged ranger ranges
ranked ranks ransom rants rapes raping rarely rash rated ration ratios rats raving react reacted reacting reader readings realises realism realist
realizes realty reaping rearing receding recipes recite reclining recommends recon recorder recovery recreated redding reddy reed reeds reeling reels
refer referenced references refine refuge refused refuses refute regain regaining regenerate regent regions regis registers reich reilly reins
reinvent reject relate relates relatives relay relayed relieve relieved remembers reminder remover render rent renters renting repay repeal repent
replaced replacing replays reply replying reports repost requests requirement resent reserved reserves resign resolutions resort resounding respects
rested retail retain retaining retains retard retract retracted reuse revel revere revered reverence reverted reverting revolution revolve revolved
revolves revolving rewarding rhine rice rick ricky riddle rider rides rift riggs rigs ringing ringo ripper ripples risky rites ritter river roach
roaches roads roared roaring roars robby rocked rocker rockers roles rolls rookies rosen ross rotated rotates rote rotten routers rover roving rowdy
rower rowing rows ruddy ruining ruins ruled ruler rulers rumble rumbling rump runnin runny rushed rushes rushing rust sable sack sacked sacking sacks
sadder sadly saeed safely sage sages sagging sailor sails sally sampler sand sander sanders sars sash saves savor sayin scala scared scares scaring
scars scents schema schemes schools sciences scoops scope scored scorer scores scorn seal sealed sealing seals seams searing season seasons seating
seattle secrets seed seeded seem seer sees seine seized seizing selection selections seller semen sender sending sends sens sensed sensei senses
sentient sentiments sentry serge sessions setter settlements settlers setups seung sevens severn seward sewer sewing sexting shack shade shades shaft
shafts shaking shale shalt shame shane shank shanks shaped shapes shard shards sharing shark sharks sharpe shave shaving shawl shear sheer sheet shelf
shelling shelly shes shia shifter shin shines shingle shiny shipped shire shirts shit shiva shock shocks shoes shook shooter shootings shopped
shopping shops shores shorten shorty shots shoulda shoulder shouted shouting shouts shoving shown shredding shreds shrine shuts sick sift sighs sights
signals silky sill silvery simmer simpler simplex simulations sine sing singers singing singled singles sinner sins sites sith sitter sittin sixes
sizes skies skill skins skipped skis slack slade slain slapped slapping slaps slash slater slayer slaying sliced slices slicing slick slider sliders
slime sling slipper slit sliver slower slowest slowing slum slums smack smacked smarts smear smell smelling smells snack snagged snake snakes snape
snapping sneak sniper snitch snoop snooping snort snorting snowing snows snuff soaked soaps sock sockets socks soften solids someones somethin
somethings sonny soot sore sorrow sorted sorting soto sought sound space spade spar sparing spark sparse specially specific specifies speck sped
speeding speeds speedy spell spelling spells spence spent spice spiced spices spied spies spill spilt spine spines spit spite spits spitting splits
spock spoke spore sport sporting sports sprang springs sprint sprinting sprints sprung squared squares squeezed squire stables stabs stacking stacy
staff stag stalk stalking stall stan standards standings staple star starch stark starling starr starred starring starter startled startling starved
starving stash stat states steaks stealing steals steam steamy steed steel steers stella stems stepped stepping steps steven sticker stickers sticking
sticky stiff stigma stills stimulate stimulated stimulation sting stings stink stinking stinks stirling stitch stitches stitching stocked stoke stokes
stole stomped stomping stoner stony stoop stopper storey storm stormy strait straits strand strands strange stranger strangled strap straps strata
straw straws stray strayed stream streams streep streets stride strife striker strikes stringer stripe strive stroke strung strut struts stuart stuck
stud studded studies studs stuffs stuffy stumble stumbled stumbles stumbling stump stumped stumps stung sturdy styled styles subjects subset sucks
suggests suing suite suits sully summed summers sumner sung sunni sunsets suny superb supper supporter supports supra surfing surprised surprises
sutter suture sven swayed swaying swears sweeps swell swelling swells swept swift swine swipe swiping switched swoop swords swore syllable systems
tabled tables tablet tack tail tailed takers takin tale tales talkin talks taller tally taming tanker tanned tanning taped taper taping taro tart
tarts taser tasked tasks tasted tasting taxes taxing taylor teach teaches teaching teal teams tears teased teen teeny tees teeth tellin tells telly
temperatures tend tended tends tense tensor tent term tess tessa tester texted texting texts thanked thanking thanos theme themes thence therefor
theresa therese theses theyre thicker thief thier thighs thingy thinker thinkin thinning thirsty thistle thong thorough thousands threes thrive
throughput thrown throws thrust thump tickled tickling tides tied tier ties tiger tights tiles tilly timber timed timers timor ting tinker tired
tiring toads todays tolls tonal tones topical torch torches tories tory tosses totalling totes touchy tours towed towels towns toying trace traced
tracer traces tracing track tracks traction trailer train trained trainer training trains trait traits tramp trance transactions trapped trapping
trash trashed trashing travers treading treason treasure treasures treat tree trees trenches trendy trent tres triad trial tribes tricked tricking
tricky trifle triplets tripped tripping trips tris trot truck trucks truest trumps truss trusts trusty tryin tucked tucker tuff tumblr tumor tumors
tumour tuned turing turks turner turnovers tweed twine twink twister twitch twitching tying typed typos tyres uber uncles unkind unsure upload
uploading uptown urge urged urges urging vague vale valle valve valves vaping variables vases vastly vega vegan vegans vending vendor veneer vent
ventral venus vera verde verse verses versions vested vices vickers vicky vince vines viscount vocal void votes vouch vowel vying wack wading wage
waged wages wagner waited waiter waits walked walking walks walla walled wallets wallis wally walter wanda wandered wandering waning wanker wards
warning warnings warns warts washing wasted wasting watcher watches watering watery watts waugh waves waving wear wearer wears weave weaver weber
wedge wedged wedges weeds weep weigh weighed weighs weights weir weirdo wells wetter wheel whence whereabouts whine whispers whistler whistles white
whiting whoop whos wicker wicket wickets widow widows wiener wilder willed william willy winding winds wing winger wingers winners winters wires wiser
wishing witch witches wither wizards woken wonders wong woods worded wording wore worker workin workings world worlds worries worsen worthy woulda
woven wreak write writings wrongs xander yanked yanks yarns yearn yearning yeast yeats yelled yelling yells ying yong youre yous youth youtuber yung
zones
`
