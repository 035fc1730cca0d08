// Text at twice its size: what is done to a page, and what must not come of it.

/** enlarge doubles the computed font size of every element, as somebody does who lets only the text grow. */
export const enlarge = () => {
  const all = [...document.body.querySelectorAll('*')].map((e) => [
    e,
    parseFloat(getComputedStyle(e).fontSize),
  ])
  for (const [e, size] of all) e.style.setProperty('font-size', 2 * size + 'px', 'important')
  dispatchEvent(new Event('resize'))
}

/**
 * crowded lists texts that are cut off, lie over one another, or cannot be reached.
 * Not counted: what only screen readers get, what the overlay under the sentence
 * repeats, an ellipsis whose whole text is its title, and the bar that is fixed at the
 * bottom, for which the page must leave room.
 */
export const crowded = () => {
  const out = []
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width + 1)
    out.push(`the page is ${document.documentElement.scrollWidth} wide on ${width}`)
  const hidden = (e) =>
    e.closest('.sr, .under, .skip, noscript, script, style, option, [hidden]') ||
    e.closest('details:not([open]) > :not(summary)')
  const texts = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node; (node = walk.nextNode());) {
    const e = node.parentElement
    if (!node.data.trim() || hidden(e) || getComputedStyle(e).visibility === 'hidden') continue
    const range = document.createRange()
    range.selectNodeContents(node)
    // Where the letters stand: in tall lines only the middle, as high as the font is.
    const size = parseFloat(getComputedStyle(e).fontSize)
    let rects = [...range.getClientRects()]
      .filter((r) => r.width > 1 && r.height > 1)
      .map((r) => {
        const high = Math.min(r.height, size)
        const top = r.top + (r.height - high) / 2
        return { l: r.left, r: r.right, t: top, b: top + high }
      })
    const name = `“${node.data.trim().slice(0, 40)}” in ${e.tagName.toLowerCase()}.${e.getAttribute('class') ?? ''}`
    let reachable = true
    for (let box = e; box && box !== document.body; box = box.parentElement) {
      const css = getComputedStyle(box)
      // What sticks to the bottom lies over what is scrolled under it.
      if (css.position === 'fixed' || (css.position === 'sticky' && css.bottom === '0px'))
        reachable = false
      const clipX = css.overflowX !== 'visible'
      const clipY = css.overflowY !== 'visible'
      if (!clipX && !clipY) continue
      const b = box.getBoundingClientRect()
      const scrollX = /auto|scroll/.test(css.overflowX)
      const scrollY = /auto|scroll/.test(css.overflowY)
      const dots =
        css.textOverflow === 'ellipsis' && (box.title || box.querySelector('[title]')?.title)
      for (const r of rects) {
        const x = clipX && !scrollX && !dots && (r.l < b.left - 2 || r.r > b.right + 2)
        const y = clipY && !scrollY && (r.t < b.top - 2 || r.b > b.bottom + 2)
        if (x || y) {
          out.push(
            `cut off: ${name} by ${box.tagName.toLowerCase()}.${box.getAttribute('class') ?? ''}`,
          )
          break
        }
        // Before the beginning of what scrolls nobody gets.
        if (scrollX && box.scrollLeft === 0 && r.l < b.left - 2) {
          out.push(`out of reach: ${name}`)
          break
        }
      }
      rects = rects
        .map((r) => ({
          l: Math.max(r.l, b.left),
          r: Math.min(r.r, b.right),
          t: Math.max(r.t, b.top),
          b: Math.min(r.b, b.bottom),
        }))
        .filter((r) => r.r - r.l > 1 && r.b - r.t > 1)
    }
    if (reachable && rects.some((r) => r.l < -2 || r.r > width + 2 || r.t + scrollY < -2))
      out.push(`out of reach: ${name}`)
    if (reachable) texts.push({ e, name, rects, head: e.closest('thead') })
  }
  // From the top down each is compared with those that begin before it ends.
  const all = texts
    .flatMap((of, n) => of.rects.map((r) => ({ ...r, of, n })))
    .sort((p, q) => p.t - q.t)
  all.forEach((p, i) => {
    for (let j = i + 1; j < all.length && all[j].t < p.b - 3; j++) {
      const q = all[j]
      if (
        p.of === q.of ||
        Math.min(p.r, q.r) - Math.max(p.l, q.l) <= 3 ||
        Math.min(p.b, q.b) - Math.max(p.t, q.t) <= 3
      )
        continue
      const [a, b] = p.n < q.n ? [p.of, q.of] : [q.of, p.of]
      // The head of a table lies over the rows that are scrolled under it.
      if (
        Boolean(a.head) !== Boolean(b.head) &&
        a.e.closest('.scroll') &&
        a.e.closest('.scroll') === b.e.closest('.scroll')
      )
        continue
      out.push(`overlap: ${a.name} and ${b.name}`)
    }
  })
  for (const f of document.querySelectorAll('input, select, button, textarea')) {
    if (hidden(f) || !f.offsetParent) continue
    const tag = `${f.tagName.toLowerCase()}.${f.className} “${(f.value || f.textContent || f.placeholder || '').slice(0, 30)}”`
    if (f.scrollWidth > f.clientWidth + 2 && f.tagName !== 'INPUT' && f.tagName !== 'SELECT')
      out.push(`cut off: ${tag} is ${f.scrollWidth} wide in ${f.clientWidth}`)
    if (f.clientHeight && f.scrollHeight > f.clientHeight + 3)
      out.push(`cut off: ${tag} is ${f.scrollHeight} high in ${f.clientHeight}`)
  }
  const dock = document.querySelector('.dock')
  if (dock && getComputedStyle(dock).position === 'fixed') {
    const main = document.querySelector('main')
    if (parseFloat(getComputedStyle(main).paddingBottom) < dock.getBoundingClientRect().height)
      out.push('the bar at the bottom covers the end of the page')
  }
  return [...new Set(out)]
}
