package gamma

import "encoding/json"

// The members of Gamma's objects that count here.

type marketObject struct {
	ID             text         `json:"id"`
	ConditionID    text         `json:"conditionId"`
	Slug           text         `json:"slug"`
	Question       text         `json:"question"`
	Description    text         `json:"description"`
	Outcomes       list         `json:"outcomes"`
	TokenIDs       list         `json:"clobTokenIds"`
	OutcomePrices  list         `json:"outcomePrices"`
	StartDate      text         `json:"startDate"` // of the listing
	EventStartTime text         `json:"eventStartTime"`
	GameStartTime  text         `json:"gameStartTime"`
	EndDate        text         `json:"endDate"`
	ClosedTime     text         `json:"closedTime"`
	UpdatedAt      text         `json:"updatedAt"`
	Closed         bool         `json:"closed"`
	UMAStatus      text         `json:"umaResolutionStatus"`
	TickSize       text         `json:"orderPriceMinTickSize"`
	MinSize        text         `json:"orderMinSize"`
	FeeSchedule    *feeObject   `json:"feeSchedule"`
	Category       text         `json:"category"`
	Tags           []tagObject  `json:"tags"`
	Events         []groupEvent `json:"events"`
	SeriesSlug     text         `json:"seriesSlug"`
}

type feeObject struct {
	Rate      text  `json:"rate"`
	Exponent  text  `json:"exponent"`
	TakerOnly *bool `json:"takerOnly"`
}

type tagObject struct {
	Slug  text `json:"slug"`
	Label text `json:"label"`
}

// groupEvent is an event, within a market or on its own; then Markets holds the
// markets as they were written.
type groupEvent struct {
	ID         text              `json:"id"`
	Slug       text              `json:"slug"`
	Title      text              `json:"title"`
	StartTime  text              `json:"startTime"`
	EndDate    text              `json:"endDate"`
	UpdatedAt  text              `json:"updatedAt"`
	Category   text              `json:"category"`
	Tags       []tagObject       `json:"tags"`
	Series     []seriesObject    `json:"series"`
	SeriesSlug text              `json:"seriesSlug"`
	Markets    []json.RawMessage `json:"markets"`
}

type seriesObject struct {
	ID         text        `json:"id"`
	Slug       text        `json:"slug"`
	Title      text        `json:"title"`
	Recurrence text        `json:"recurrence"`
	UpdatedAt  text        `json:"updatedAt"`
	Tags       []tagObject `json:"tags"`
}

// shape is what tells the kinds of object apart.
type shape struct {
	ConditionID *json.RawMessage  `json:"conditionId"`
	TokenIDs    *json.RawMessage  `json:"clobTokenIds"`
	Question    *json.RawMessage  `json:"question"`
	Slug        *json.RawMessage  `json:"slug"`
	Title       *json.RawMessage  `json:"title"`
	Markets     []json.RawMessage `json:"markets"`
	Events      []json.RawMessage `json:"events"`
	Data        []json.RawMessage `json:"data"`
}

func (s *shape) isMarket() bool {
	return s.ConditionID != nil || s.TokenIDs != nil || s.Question != nil
}

func (s *shape) isEvent() bool { return !s.isMarket() && s.Slug != nil && s.Title != nil }
