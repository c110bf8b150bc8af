// Runs in browsers: shows what a text will look like, and keeps what somebody types until it is sent.

const token = () => document.querySelector<HTMLInputElement>('input[name="authenticity_token"]')?.value ?? ''

/** The project that references without a project mean: addresses of its pages begin with its path. */
const projectHere = (): string | undefined => {
  const [path = '', rest] = decodeURIComponent(location.pathname).split('/-/')
  return rest === undefined || path.startsWith('/groups/') ? undefined : path.slice(1)
}

/** A text as HTML, which the server has cleaned. @throws where there is no answer */
async function rendered(text: string): Promise<Node[]> {
  const answer = await fetch('/api/v4/markdown', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': token() },
    body: JSON.stringify({ text, gfm: true, project: projectHere() }),
  })
  if (!answer.ok) throw new Error(`${answer.status}`)
  const body: unknown = await answer.json()
  const html = typeof body === 'object' && body !== null && 'html' in body ? String(body.html) : ''
  return [...new DOMParser().parseFromString(html, 'text/html').body.childNodes]
}

function offerPreview(area: HTMLTextAreaElement): void {
  const button = document.createElement('button')
  const shown = document.createElement('div')
  button.type = 'button'
  button.className = 'secondary preview'
  shown.className = 'text box'
  shown.tabIndex = 0
  shown.role = 'region'
  shown.ariaLabel = 'Preview'
  shown.hidden = true
  const show = (isShown: boolean) => {
    shown.hidden = !isShown
    area.hidden = isShown
    button.textContent = isShown ? 'Write' : 'Preview'
  }
  show(false)
  button.addEventListener('click', () => {
    if (area.hidden) {
      show(false)
      area.focus()
      return
    }
    shown.replaceChildren('…')
    show(true)
    void rendered(area.value).then(
      (nodes) => shown.replaceChildren(...(nodes.length > 0 ? nodes : ['Nothing to preview.'])),
      () => shown.replaceChildren('The server cannot be asked right now. Your text is still here.'),
    )
  })
  // A required field that is hidden could not say that it is empty.
  area.form?.addEventListener('invalid', () => show(false), true)
  area.after(shown, button)
}

/** What was typed, and what the page had there when somebody began. */
interface Kept {
  readonly base: string
  readonly text: string
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'base' in value &&
  'text' in value &&
  typeof value.text === 'string'

/** Drafts of whoever is signed in: the next one at this browser must not read them. */
const DRAFTS = `draft ${document.querySelector('.who strong')?.textContent ?? ''} `

/** Forgets what somebody else has typed in this window and never sent. */
function forgetOthers(): void {
  try {
    const others = Object.keys(sessionStorage).filter(
      (key) => key.startsWith('draft ') && !key.startsWith(DRAFTS),
    )
    for (const key of others) sessionStorage.removeItem(key)
  } catch {
    // The browser keeps nothing.
  }
}

function keepDraft(area: HTMLTextAreaElement): void {
  const key = `${DRAFTS}${location.pathname} ${area.id}`
  const base = area.defaultValue
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    // Where the text is another one now, what was typed for the former does not fit.
    if (isKept(kept) && kept.base === base && area.value === base) area.value = kept.text
  } catch {
    // The browser keeps nothing.
    return
  }
  area.addEventListener('input', () => {
    try {
      if (area.value === base) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, JSON.stringify({ base, text: area.value } satisfies Kept))
    } catch {
      // There is no room for it.
    }
  })
  // What is refused comes back with the page.
  area.form?.addEventListener('submit', () => sessionStorage.removeItem(key))
}

forgetOthers()
for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-markup]')) {
  keepDraft(area)
  offerPreview(area)
}
