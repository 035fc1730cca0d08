package parser

// ordinaryWords are common English words one letter away from a word of the
// vocabulary. They are never read as a misspelling of it: "power" is not
// "lower".
const ordinaryWords = `
abandons abject abode abort abound accounts acquired actin actions activated activates acton addiction additions adjusts adrift advise afield afloat
agent aggregated aggregates aging agreed ahmad aided aides aires airing airs albert albright algorithms allen allied allies allocated ally aloe alter
alternates alves america americana americans americas ames among analysed analyzed analyzer analyzes anders anna announcements announcers ants aorta
appealing appeals appear apples apply appropriated arabs archie ardent arena aries arise arisen arises arising arming arrived arrow ascent asean
asians assent assert asserts asses assess assistants assumed assumes assure assuring athena attempts attentions atypical auction audition augusta
australia australians automata automated autos avenue avenues averaged aversion avert avery avian avid avril awhile baden badge badger badges bagging
baiting ballet banda banding banger bangs banked banner banning bans bargains barge barks barley barns barry basel bashed bashing basins bass batch
batting bayer baylor beach beaches beaded beak beams beard beards beast beater beating beats become bedding beers beets began beginnings begun beings
believed believer believes bello belly bench bender bending benin benny bering bess bette beverage biased bien billed billing billions billy binding
bing birthdays bitch bitten bladder blank bleak bleep blend blending blends blight bling bliss bloc bloch blocks bloke blow blower blows boeing
boiling boils bondi bonus boobs booing bookings booming booms boos boots border borders borrows bosses bothers bouncy bounded bout bowel bowen bower
brains brake braking branches brand brash bravery breach breached breaches breaching bread breakfasts breeding breeds breen brent bright bring brings
brock brooke brooks brothel brothers brought brown brows brunch budding bugged buick builds built bulbs bulge bullion bully bummer bundy bunny burch
burned burns burrow bursts burying busch buses bushes busty butch butts buyer buzzed cable cafes cages cain calculated calculates calendars calling
calves camped camry canadians cancer cancers candies canes cannon capes capita capitals capitol capping capture captures carey carr cart carter cary
casey cashed casing cass castes catchy catered caters cath caused ceased ceilings cellar cello cells center centered centering centers certainty chai
chains chair chan chang channing chant chanted chanting chap char charge charged charges charging charm charts chase chases chat cheat cheater checks
cheek cheeks cheer cheery chef chiefs chile chills chin ching chooses chun chung chunky cider clan clans clapped clash clashed clashes classics
cleaning cleanly cleans clears cleaver click climber clipped cloak clocks cloned clones cloning closest closets clove clump clumps coarse coasts
coating coats cock codes coding coffers coils cold colds coles collab collects colo colon colors colours colts combine combines combing combs comet
comets comey comin commie commits comms commute commuter comparisons competed compounds computers concepts coney conferences configurations conform
conor cons conservatives considerable considers constants cont contact contacts contiguous continent contrast contrasts convent converts coop cords
core cores corning corrections correlate correlates correlations cosmo costa costly couch couches coulda coulter counted counters counts county coupe
courses court cousins cove covers coward cowards cowell crabs cramer cray craze cream crease created creates cree creek creeks creepy crest crete
cries cripple crises criss crock cropped cropping crossings crow crowds crowe crush crushed crushes crushing crying cunning cunt cunts curing currents
curry curse cuttings cysts dagger dairy daisies daisy daly damping dare dared daring darts dashing dated deadline deadlines deans dearth deaths debate
debates deceased deceit decided deeds deems deen deepen defending deference defined defines delia della denny dense deport dept depths derail
descriptions deserve designs detain developed developers deviations devine diamonds diced died differ differences digger dined dining dinner
directions disable discard discounts disks displaced displacing distanced distances divas divers dividend doable doesn doin dolls dolores dong donna
dons doses doubly doubted doubting dover draft drafted drafting drafts draining drains dram dread dreams dreamt dreamy dress dries drives driving
drown ducks dukes dumas dumber duped dutch dyeing eager earl earle earring earrings east easter eaters ebooks editing edits eels ejection elect
electron electrons ellen emails emergence emery emil emits empire empires ending engines ensure entice erased erect erection eros ester esters ethel
europa europeans evacuate evaluated evaluates evans everyones ewing examples excels exception excerpt exchanged exciting excuse excused executed
executes executions exert exist existing exists expansive expect expects experiments export exports exposures extensive fable facing factual faded
failings fairs fairy faked fallon fame fandom fanny fared farrow farts fashions father fatter feast feather feeding feelin feelings fellow fellows
fender ferns fiber fibres fiddle fighter fights figured figures filing filler fillet filmed filth finale finals finance finding fined finer finger
finishers finnish fins firsts firth fist fitch fitter flack flame flames flapping flaps flares flats flatter flavored flavoured flaws fliers flight
flipped flood floors floss flour flower flown flyers focal folding folk follower fond font footy foray fore forecasts forge forged forgets forgot
forked forma formally forman formats forms fort forte forts fought founding foyer fractions frail framed fran france frances francis franck franco
frank franks franz freak freaking freaks freed frees friction frida fried fries fright frills fronts frost frown fryer frying fucks fudge fueling
fuels fumbled fumbles funny furious fusing gagging gaius gallen gambler gamer gamers gander gaping garry gassed gather geeks gender gentry gents germs
gettin giggle giggled giles gland glands glide gliding gloves glowing gmail goggles goin goings golds googled goons goose gower gown gowns grad grade
graded grader graders grades grading grads grail grained grams gran grande grant gras grass gravely greats greedy greeks greene greeting greets greta
grind gripped gripping groan groin groping grossed grossing grounds growling guest guests guild gunna gunner gunners gunning gushing gusts hacking
hacks hades hahah hails hain hairs hale hall hallway halted halting hammers hamper handel handled handler handy hanged hangs hank hanna hans hare harp
harrow harry hart hast hatch hatchet hatching hating haunt haven havens havin headings headlined headliner healed healing heals healy heap hearing
heated heath heather heating heats heck heir heirs hella herding herds hereafter heres heresy heroin hides hiding higgs hill hinting hippy hires
historia hitch hitter hodge hodges holden holder holes holliday hollow homes homme hone honesty honey hoods hoops hoot hopped horse hoses hosting
hosts hough hover howard howell howie hubble humbling humbly humor humour hundreds hunk hunter hushed hypotheses ignored implements implies imply
incest include includes increment indexed influence influenced influences initials injure inks inner inning innings insiders instincts instruction
insured insurer intends intent interests internal invent inventing investments iphone itch jacking jacks jagger jails james jeans jelly jenner jenny
jerks jingle joins joint joints jokes jonas judge judged judges jules jumper kappa keeper kelley kenny kettle kicker kidding kilda killed killing
kindle kings kinks kissed kmart knight knights knows kroger lace lack lacking lacks ladders lagging land landon lanes lange laps lapsed largo larry
lashing lasted latch latent laterally latex laude laughs lawsuits lawyer layers laying layout lays leach leaders leaked lean leaned leanings lear
learns leases leash leather leaves ledge leds legion lengthy lenny lest letter levers liberally lifted lighten lighter lightly lights lilly limb limbs
linda linger lingers linking links linus liquids listens liter litter lived livelihood lively liver loader loans loaves locale locals locking locks
lodging logging login lone longed lookin looming looms looping loops loosen looser looting losers lotte lovers lowell lowers lowly loyal lucy lumber
lumen lump lying lynch lyndon machete macro magi maher mail mails makin males mall mallet malone managers manger manly manned manners mans mapping
marge margins marin marked markers marking marlin marrow marry mart martial martin marvin mash masked massage master match matching mating matte
matteo matters maximus mayday mayne mclean meals meanings meat medic medina melts mending mens ment menus messaged messages methods mets milling
millions milly mimi mimics mince mines mingle minimized mints mirrors misses mitch mixed modal models modem moderated moderates modesty molding molds
moles monet monkey mons mont monte moods moors moose mornin morons morrow morse morty motel moth moths mounts mourning mouths movements movers movies
movin mower mowing moyes muddy mules multiply nagging nails named names nancy napping narrowed narrows national nearby neatly needy neighbors
neighbour nelly nerds nested neuer neural niches niece nifty nigger nigh nikki nimble nipple nodes nominate nominated noose norma norman norse noted
nothin noticeable noting nudge nukes numbers oars oasis objectives objects observe observer observes occur occurrence officer offices officials
offsets olds ones opener openings operated operates oppose opposes opposites optical optimized optimus orally others otter ouch ought ounce ounces
outlet outperform outputs outside oven overalls overlay oversight overtly owens owing owns pace pacing packed packet packs padding paging pain pained
painted painting palace palin pallet pans pants parameter parent paris parks parry passer passes pasted patch patching patio patting pause paused
payer payouts payroll peach peaches peed peeling penn pens peoples percentages performances performer periods perky persist phased phases phoned
phones phony phrase pickled pieces pierce pike pilot pilots pinched ping pings pinning pinot pinterest pissed pisses pitch placed places plaid planes
planks plano plant planting plants plate platforms playa player playin playing pleading pleads pleas pleased pleases plight pluck plugged plugging
plump pointe pointed pointing pointy pokes poles polled polling polly pond pondering pont pools pooping popper poppins porta portfolios portions poses
posing posting posts potion potions pottery pouch pouches pounce power praise praying prays preach preached preaching precious predictions predicts
prefect preferable preference prefers premise premiums pres preserve pressured pressures prick pricks pride prime primed prince princes printer priory
prize prized prizes probable profess profiled profiles prompts prone proportions props proto protocols provide provider provides prowess pryor pulley
punk punter pups purchasers purge purged purging pyramids quack quad quan quartet question queues quilt quirk quits quot quota races racket racking
racks radio rages raging raids rail rained rainy raised raiser rambling ranches ranked ranks ransom ranting rants rapes raping rarely rash rated
ration ratios rats react reacted reacting read reader ready realises realism realist realty reasons receding recipes recite reclining recommends recon
recorder recovery recreated reed reeling reels refer referenced references refine refuge refused refuses refute regain regaining regard regenerate
regent regions regis registers reich reilly reins reinvent reject relate relates relatives relay relayed relieve reminder remover render rent renting
repay repeal replaced replacing replays reply replying reports repost requirement resent reserved reserves resign resolutions resort resounding
respects rested retail retain retaining retains retard retract retracted reuse revel revere revered reverence reverted reverting revolution revolve
revolved revolves revolving rewarding rewards rhine rice riddle rider rift riggs rigs ringing ringo ripper ripples risky rite ritter river roach
roaches roared roaring roars rocked rocker rockers roles rolls rosen ross rotated rotates rotten routers rover roving rowdy rower rowing rows ruddy
ruins ruled ruler rulers rumbling rump runnin runny rushed rushes rushing sack sacked sacking sacks sadder saeed safely sage sages sagging sailor
sails sand sander sanders sars sash saves sayings scares scars scenarios scents schema schemes schools sciences scoops scope scored scorer scores
scorn seal sealed seals seams searing season seating seattle seed seeded seem seer sees seine seized seizing selection selections seller semen sender
sends sens sensed sensei senses sentient sentiments sentry serge sessions setter settlements settlers setups seung severn seward sewer sewing sexting
shades shaft shafts shaking shalt shank shanks shaped shards sharing sharks shawl sheer sheet shelf shelling shelly shes shia shifter shin shines
shingle shiny shipped shiva shock shocks shoes shook shooter shootings shopped shopping shoulda shoulder shouted shoving shown shredding shreds shrine
shuts sick sift sighs sights signals silky silvery simmer simpler simplex simulations singers singing singled singles sinner sins sites sith sitter
sittin sixes skies skill skins skipped skis slade slain slapped slaps slash slater slayer slaying slice slices slicing slick slider sliders slime
sling slipper slit sliver slower slowest slowing slum slums smack smacked smelling smells snack snagged snake snakes snapping snare sneak sniper snoop
snooping snort snorting snowing snows snuff soaked soaps sock sockets socks solids someones somethin somethings sometimes sonny soot sore sorrow
sorted sorting soto sought spare spared spares spear specially specific specifies speck speeding speedy spell spelling spells spence spent spice
spiced spices spies spill spilt spines spire spit spite spits spitting splits spock spoke spore sport sporting sports sprang springs sprinting sprints
sprung spying squared squares squeezed squire stables stabs stacking stacy staff stag stalk stalked stalking stan standards standings staple star
starch starr starred starring startled startling starved starving stash steaks stealing steals steam steamy steers stella stems stepped stepping steps
steven sticker stickers sticking sticky stiff stigma stills stimulate stimulated stimulation sting stings stink stinking stinks stirling stitch
stitches stitching stocked stoke stokes stole stomped stomping stoner stony stoop stopper storey storm stormy strait straits strand strands strange
stranger strangled strap straps strata straw straws stray strayed stream streams streets stride strife striker strikes stringer stripe strive stroke
strung strut struts stuart stuffs stuffy stumble stumbled stumbles stumbling stump stumped stumps stung styled styles subjects subset sucks suggests
suing suite suits sully summed summers sumner sung sunni sunsets suny superb supper supporter supports supposed supra surfing surprised surprises
suture sven swayed swaying sweat sweeps swell swelling swells swept swift swipe swiping switched swoop swords swore syllable systems tabled tables
tablet tack tail tailed takin tale tales talked talker talks tally tanned tanning taped taper taro tarts taser tasks tasted tasting taxes taxing
taylor teach teaches teaching teal teams teased teen teeny tees teeth telling tells telly temperatures tend tended tends tense tensor tent term tess
tessa tester texted texting texts thanked thanos themes thence therefor theresa therese theyre thicker thief thier thighs thingy thinker thinkin
thinning thirsty thistle thong thorough thousands threes thrive throughput thrown throws thump tickled tickling tiles tilly timed timer timers ting
tinker tires tiring toads todays tolls tonal tones topical torch torches tories tory tosses totalling totes touchy towed towels towns toying trace
traced tracer traces tracing traction trailer train trained trainer trait traits tramp trance transactions trapped trapping trash trashed trashing
travers tread treason treasure treasures treat tree trees trenches trendy tres trial tribes trick tricked tricking tricks tried trifle triplets trips
tris trot trumps tryin tucked tucker tuff tumblr tumor tumors tumour tuned turing turks turner turnovers tweed twine twink twister twitch twitching
typed typos tyres uber uncles unkind unsure upload uploading uptown urge urged urges urging utter vague vale valle valve valves vaping variables
vastly vega vegan vegans vending vendor veneer vent ventral venus vera verde verse verses versions vested vices vickers vince vines viscount vocal
void votes vouch vowel vying wack wading wage waged wages wagner waite waited waiter waits walks walla walled waller wallets wallis walter wanda
wandering wanker wards warning warnings warns warts washing wasted watch watching watering watery watts waugh waves wearer weave weaver weber wedge
weep weigh weighed weighs weights wetter wheel whence whereabouts whispers whistler whistles whoop whos wicker wicket wickets widow widows wiener
wilder willed william willy winding winds wing wingers winners winters wires wiser wishing witches wither woken woods worded wording wore worker
workin workings world worlds worries worsen worst worthy woulda woven wreak writ writer writes wrote xander yanked yanks yarns yearn yearning yeast
yeats yelled yelling yells ying youre yous youth youtuber zones
`
