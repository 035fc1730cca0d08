// The pages on which people come in work without a script. This one takes the secret of a
// mail's link, which only the browser knows, into the form, or along to the next page.
const secret = /^#[\w.-]{20,}$/.test(location.hash) ? location.hash.slice(1) : ''
const form = document.querySelector('form')
const code = form?.querySelector<HTMLInputElement>('input[name=code]')
if (secret && form && code) {
  code.value = secret
  code.type = 'hidden' // and no password manager takes it for a name
  code.closest<HTMLElement>('.field')!.classList.add('filled')
  history.replaceState(null, '', location.pathname + location.search)
  form.querySelector<HTMLElement>('input[type=password], button')!.focus()
} else if (secret) {
  for (const a of document.links) if (a.origin === location.origin) a.hash = secret
  if (form) form.action = form.action.split('#')[0] + '#' + secret
}
// A second press of the button sends nothing twice.
form?.addEventListener('submit', (e) => {
  if (form.ariaBusy) e.preventDefault()
  form.ariaBusy = 'true'
})
addEventListener('pageshow', () => {
  if (form) form.ariaBusy = null
})
