import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** What the data package tells of an emoji, by its characters. */
type Data = Record<
  string,
  {
    readonly shortname: string
    readonly shortname_alternates: readonly string[]
    readonly unicode_output: string
  }
>

interface Catalog {
  /** Every name and alias → the name. */
  readonly names: ReadonlyMap<string, string>
  /** Characters without variation selectors → the name. */
  readonly characters: ReadonlyMap<string, string>
}

/** No emoji has a longer name or more characters. */
const MAX_LENGTH = 100
/** How text begins that may be an emoji: most notes do not, and the catalog is not read for them. */
const MAYBE_EMOJI = /^(?::[^\s:]+:$|\p{Emoji})/u
const ASCII = /^\p{ASCII}$/u
const VARIATION_SELECTORS = /[\uFE0E\uFE0F]/g

let catalog: Catalog | undefined

/** Read when it is first needed, so that a start need not wait for it. */
function readCatalog(): Catalog {
  const file = require.resolve('emoji-toolkit/emoji_strategy.json')
  const data: Data = JSON.parse(readFileSync(file, 'utf8'))
  const names = new Map<string, string>()
  const characters = new Map<string, string>()
  for (const emoji of Object.values(data)) {
    const codePoints = emoji.unicode_output.split('-').map((code) => Number.parseInt(code, 16))
    const text = withoutSelectors(String.fromCodePoint(...codePoints))
    // Digits and the like are emoji only as part of keycaps.
    if (ASCII.test(text)) continue
    const name = withoutColons(emoji.shortname)
    for (const alias of [emoji.shortname, ...emoji.shortname_alternates]) {
      names.set(withoutColons(alias), name)
    }
    characters.set(text, name)
  }
  return { names, characters }
}

const withoutColons = (text: string) => text.slice(1, -1)
const withoutSelectors = (text: string) => text.replaceAll(VARIATION_SELECTORS, '')

/** The name under which an award is kept, for a name or alias without colons; undefined when there is no such emoji. */
export function emojiNamed(name: string): string | undefined {
  catalog ??= readCatalog()
  return catalog.names.get(name)
}

/** The name of the one emoji that a text consists of, as `:name:` or as its characters; undefined for any other text. */
export function emojiOnly(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_LENGTH || !MAYBE_EMOJI.test(trimmed)) return undefined
  if (trimmed.startsWith(':')) return emojiNamed(withoutColons(trimmed))
  catalog ??= readCatalog()
  return catalog.characters.get(withoutSelectors(trimmed))
}
