package market

import (
	"slices"
	"strings"
)

// Coin is a coin that up/down rounds are listed on.
type Coin struct {
	Ticker string // upper case
	Name   string // as usually written
}

// coins is the table of known coins, each with its usual ticker and name.
var coins = [...]Coin{
	{"BTC", "Bitcoin"}, {"ETH", "Ethereum"}, {"SOL", "Solana"}, {"XRP", "XRP"},
	{"DOGE", "Dogecoin"}, {"BNB", "BNB"}, {"HYPE", "Hyperliquid"}, {"ADA", "Cardano"},
	{"AVAX", "Avalanche"}, {"LINK", "Chainlink"}, {"DOT", "Polkadot"}, {"LTC", "Litecoin"},
	{"BCH", "Bitcoin Cash"}, {"TRX", "Tron"}, {"TON", "Toncoin"}, {"SHIB", "Shiba Inu"},
	{"PEPE", "Pepe"}, {"SUI", "Sui"}, {"APT", "Aptos"}, {"ARB", "Arbitrum"},
	{"OP", "Optimism"}, {"NEAR", "Near"}, {"UNI", "Uniswap"}, {"AAVE", "Aave"},
	{"XLM", "Stellar"}, {"XMR", "Monero"}, {"ZEC", "Zcash"}, {"ETC", "Ethereum Classic"},
	{"ATOM", "Cosmos"}, {"FIL", "Filecoin"}, {"ICP", "Internet Computer"}, {"HBAR", "Hedera"},
	{"TAO", "Bittensor"}, {"WLD", "Worldcoin"}, {"ENA", "Ethena"}, {"ONDO", "Ondo"},
	{"WIF", "dogwifhat"}, {"BONK", "Bonk"}, {"PUMP", "Pump.fun"}, {"TRUMP", "Official Trump"},
	{"KAS", "Kaspa"}, {"SEI", "Sei"},
}

// Coins returns the table of known coins.
func Coins() []Coin { return append([]Coin(nil), coins[:]...) }

// KnownCoin reports whether ticker, in upper case, is a known coin.
func KnownCoin(ticker string) bool {
	return slices.ContainsFunc(coins[:], func(c Coin) bool { return c.Ticker == ticker })
}

// CoinName returns the name of the coin with an upper-case ticker, or the
// ticker itself when the coin is not known.
func CoinName(ticker string) string {
	for _, c := range coins {
		if c.Ticker == ticker {
			return c.Name
		}
	}
	return ticker
}

// CoinByName returns the ticker of the known coin whose ticker or name is s,
// ignoring case.
func CoinByName(s string) (ticker string, ok bool) {
	for _, c := range coins {
		if strings.EqualFold(c.Ticker, s) || strings.EqualFold(c.Name, s) {
			return c.Ticker, true
		}
	}
	return "", false
}
