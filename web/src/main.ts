// Where the page begins.
import { h, render } from 'preact'
import { App } from './app'
import { theme, wear } from './theme'

wear(theme())
render(h(App, {}), document.getElementById('app')!)
