// Light or dark: as the system has it, or as somebody chose.

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const theme = (): Theme =>
  themes.find((t) => t === localStorage.getItem('theme')) ?? 'system'

/** wear shows the page in a theme, and keeps the choice in this browser. */
export function wear(t: Theme): void {
  if (t === 'system') localStorage.removeItem('theme')
  else localStorage.setItem('theme', t)
  document.documentElement.style.colorScheme = t === 'system' ? '' : t
  dispatchEvent(new Event('theme'))
}
