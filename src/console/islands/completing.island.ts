// Runs in browsers: completes people, issues and others while somebody writes. Every text can be written without it.

/** Milliseconds between two questions, and entries that are offered at once. */
const PACE = 200
const MOST = 8

/** What can be chosen: what it becomes in the text, and what people read. */
interface Offer {
  readonly text: string
  readonly title: string
  readonly hint: string
}

type Entry = Readonly<Record<string, unknown>>

interface Kind {
  readonly title: string
  readonly path: string
  /** What is asked for when somebody has typed this much; undefined where nothing can be found. */
  readonly query: (typed: string) => Readonly<Record<string, string>>
  readonly offer: (entry: Entry) => Offer
}

const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null

/** The project or group of the page: addresses of its pages begin with its path. */
function placeHere(): { readonly api: string; readonly isGroup: boolean } | undefined {
  const [path = '', rest] = decodeURIComponent(location.pathname).split('/-/')
  if (rest === undefined || path === '') return undefined
  const isGroup = path.startsWith('/groups/')
  const name = encodeURIComponent(path.slice(isGroup ? '/groups/'.length : 1))
  return { api: `/api/v4/${isGroup ? 'groups' : 'projects'}/${name}`, isGroup }
}

/** Names with other characters than letters, digits and dashes need quotes. */
const named = (sign: string, name: string): string =>
  sign + (/^[\p{L}\p{N}_-]+$/u.test(name) && !/^\d+$/.test(name) ? name : `"${name}"`)

const byTitle = (typed: string): Readonly<Record<string, string>> => {
  if (/^\d+$/.test(typed)) return { 'iids[]': typed }
  return typed === '' ? { state: 'opened' } : { search: typed, in: 'title' }
}

const bySearch = (typed: string) => (typed === '' ? {} : { search: typed })

/** @param isGroup a number alone means nothing in a group: it has several projects */
const numbered =
  (isGroup: boolean) =>
  ({ references, title }: Entry): Offer => {
    const text = isEntry(references) ? word(isGroup ? references['full'] : references['short']) : ''
    return { text, title: word(title), hint: text }
  }

/** What completes a sign. The API leaves out what the visitor may not see. */
const kindsIn = (isGroup: boolean): ReadonlyMap<string, Kind> =>
  new Map<string, Kind>([
    [
      '@',
      {
        title: 'People',
        path: 'members/all',
        query: (typed) => (typed === '' ? {} : { query: typed }),
        offer: ({ username, name }) => ({
          text: `@${word(username)}`,
          title: word(name),
          hint: `@${word(username)}`,
        }),
      },
    ],
    ['#', { title: 'Issues', path: 'issues', query: byTitle, offer: numbered(isGroup) }],
    ['!', { title: 'Merge requests', path: 'merge_requests', query: byTitle, offer: numbered(isGroup) }],
    [
      '~',
      {
        title: 'Labels',
        path: 'labels',
        query: bySearch,
        offer: ({ name, description }) => ({
          text: named('~', word(name)),
          title: word(name),
          hint: word(description),
        }),
      },
    ],
    [
      '%',
      {
        title: 'Milestones',
        path: 'milestones',
        query: (typed) => ({ ...bySearch(typed), state: 'active', include_ancestors: 'true' }),
        offer: ({ title, due_date: due }) => ({
          text: named('%', word(title)),
          title: word(title),
          hint: word(due),
        }),
      },
    ],
  ])

const place = placeHere()
const kinds = kindsIn(place?.isGroup === true)

async function ask({ path, query, offer }: Kind, typed: string, signal: AbortSignal): Promise<Offer[]> {
  const search = new URLSearchParams({ ...query(typed), per_page: String(MOST) }).toString()
  const answer = await fetch(`${place?.api ?? ''}/${path}?${search}`, { signal })
  if (!answer.ok) return []
  const entries: unknown = await answer.json()
  return Array.isArray(entries)
    ? entries
        .filter(isEntry)
        .map(offer)
        .filter(({ text }) => text.length > 1)
    : []
}

/** A sign in front of the cursor, with what was typed after it. */
interface Begun {
  readonly kind: Kind
  readonly typed: string
  readonly start: number
}

function begunIn({ value, selectionStart: end, selectionEnd }: HTMLTextAreaElement): Begun | undefined {
  if (end !== selectionEnd) return undefined
  const [, sign = '', typed = ''] =
    /(?:^|[\s(])([@#!~%])([^\s@#!~%"`]{0,60})$/.exec(value.slice(Math.max(0, end - 64), end)) ?? []
  const kind = kinds.get(sign)
  return kind && { kind, typed, start: end - typed.length - 1 }
}

const fitting = (typed: string) => {
  const wanted = typed.toLowerCase()
  return ({ title, text }: Offer) => [title, text].some((one) => one.toLowerCase().includes(wanted))
}

/** The list below a text. */
class Completion {
  readonly #area: HTMLTextAreaElement
  readonly #list = document.createElement('ul')
  readonly #status = document.createElement('p')
  #kind: Kind | undefined
  #offers: readonly Offer[] = []
  #start = 0
  #active = -1
  #asked: AbortController | undefined
  #askedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(area: HTMLTextAreaElement) {
    this.#area = area
  }

  /** Completes from now on. */
  start(): void {
    const area = this.#area
    this.#list.className = 'completion'
    this.#list.id = `${area.id}-completion`
    this.#list.role = 'listbox'
    this.#list.hidden = true
    this.#status.className = 'unseen'
    this.#status.role = 'status'
    area.after(this.#list, this.#status)
    area.ariaAutoComplete = 'list'
    area.setAttribute('aria-controls', this.#list.id)
    area.addEventListener('input', () => this.#follow())
    area.addEventListener('keydown', (event) => this.#press(event))
    area.addEventListener('blur', () => this.#close())
    // The text keeps the focus.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault())
    this.#list.addEventListener('click', ({ target }) => {
      const chosen = target instanceof Element ? target.closest('li') : null
      if (chosen !== null) this.#choose([...this.#list.children].indexOf(chosen))
    })
  }

  /** Asks for what fits, at most once in a while: the last of what was typed counts. Until then only what fits stays. */
  #follow(): void {
    this.#asked?.abort()
    const begun = begunIn(this.#area)
    if (begun === undefined) return this.#close()
    if (!this.#list.hidden && this.#kind === begun.kind)
      this.#show(this.#offers.filter(fitting(begun.typed)), begun)
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined
        void this.#ask()
      },
      Math.max(0, this.#askedAt + PACE - Date.now()),
    )
  }

  async #ask(): Promise<void> {
    const begun = begunIn(this.#area)
    if (begun === undefined) return
    const asked = new AbortController()
    this.#asked = asked
    this.#askedAt = Date.now()
    try {
      const offers = await ask(begun.kind, begun.typed, asked.signal)
      if (!asked.signal.aborted) this.#show(offers, begun)
    } catch {
      // The server is not there for a moment, or something else was typed meanwhile.
    }
  }

  #show(offers: readonly Offer[], { kind, typed, start }: Begun): void {
    // What is complete already needs no list, which would lie over what is below.
    const whole = this.#area.value.slice(start, this.#area.selectionEnd)
    if (offers.every(({ text }) => text === whole)) return this.#close()
    this.#kind = kind
    this.#offers = offers
    this.#start = start
    this.#list.ariaLabel = kind.title
    this.#list.replaceChildren(
      ...offers.map(({ title, hint }, index) => {
        const option = document.createElement('li')
        const more = document.createElement('span')
        option.role = 'option'
        option.id = `${this.#list.id}-${index}`
        more.className = 'quiet'
        more.textContent = hint
        option.append(title, ' ', more)
        return option
      }),
    )
    this.#list.hidden = false
    this.#status.textContent = `${kind.title}: ${offers.length} to choose with the arrow keys`
    // A sign alone may be meant as it is: nothing is chosen then before somebody goes there.
    this.#activate(typed === '' ? -1 : 0)
  }

  #activate(index: number): void {
    this.#active = index
    for (const [at, option] of [...this.#list.children].entries()) option.ariaSelected = String(at === index)
    const active = this.#list.children[index]
    if (active === undefined) this.#area.removeAttribute('aria-activedescendant')
    else this.#area.setAttribute('aria-activedescendant', active.id)
  }

  #press(event: KeyboardEvent): void {
    if (this.#list.hidden || event.isComposing) return
    const { length } = this.#offers
    const isChosen = this.#active >= 0
    if (event.key === 'ArrowDown') this.#activate((this.#active + 1) % length)
    else if (event.key === 'ArrowUp') this.#activate(this.#active <= 0 ? length - 1 : this.#active - 1)
    else if ((event.key === 'Enter' || event.key === 'Tab') && isChosen) this.#choose(this.#active)
    else if (event.key === 'Escape') this.#close()
    else return
    event.preventDefault()
  }

  #choose(index: number): void {
    const offer = this.#offers[index]
    const area = this.#area
    if (offer === undefined) return
    area.setRangeText(`${offer.text} `, this.#start, area.selectionEnd, 'end')
    this.#close()
    area.focus()
    // What was typed is kept as it is now.
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }

  #close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#asked?.abort()
    this.#list.hidden = true
    this.#status.textContent = ''
    this.#activate(-1)
  }
}

if (place !== undefined)
  for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-markup]'))
    new Completion(area).start()
