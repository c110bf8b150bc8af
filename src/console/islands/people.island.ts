// Runs in browsers: offers people while somebody types a username. Whoever knows it can type it without.

/** Milliseconds without another key after which people are looked for, and how many are offered. */
const PAUSE = 200
const MOST = 8

interface Person {
  readonly username: string
  readonly name: string
}

const isPerson = (value: unknown): value is Person =>
  typeof value === 'object' &&
  value !== null &&
  'username' in value &&
  typeof value.username === 'string' &&
  'name' in value &&
  typeof value.name === 'string'

async function find(typed: string, signal: AbortSignal): Promise<readonly Person[]> {
  const query = { search: typed, active: 'true', humans: 'true', per_page: String(MOST) }
  const answer = await fetch(`/api/v4/users?${new URLSearchParams(query).toString()}`, { signal })
  const people: unknown = answer.ok ? await answer.json() : []
  return Array.isArray(people) ? people.filter(isPerson) : []
}

/** Offers people in the list that the browser shows below a field. */
function offerPeople(field: HTMLInputElement): void {
  const list = document.createElement('datalist')
  list.id = `${field.id}-people`
  field.after(list)
  field.setAttribute('list', list.id)
  let asked = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function offer(): Promise<void> {
    const [, at = '', typed = ''] = /^(@?)(.*)$/s.exec(field.value.trim()) ?? []
    if (typed === '') return list.replaceChildren()
    try {
      const people = await find(typed, asked.signal)
      list.replaceChildren(
        ...people.map(({ username, name }) => {
          const option = document.createElement('option')
          // Browsers offer what begins as what was typed.
          option.value = at + username
          option.label = name
          return option
        }),
      )
    } catch {
      // The server is not there for a moment, or something else was typed meanwhile.
    }
  }

  field.addEventListener('input', () => {
    asked.abort()
    asked = new AbortController()
    clearTimeout(timer)
    timer = setTimeout(() => void offer(), PAUSE)
  })
}

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-people]')) offerPeople(field)
