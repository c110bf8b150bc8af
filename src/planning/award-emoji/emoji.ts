import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The data package's entry for an emoji, by its characters. */
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
  /** The name → the characters to show. */
  readonly shown: ReadonlyMap<string, string>
}

/** Emoji have no longer names and no more characters. */
const MAX_LENGTH = 100
/** The start of a text that may be an emoji. Most notes do not match and need no catalog. */
const MAYBE_EMOJI = /^(?::[^\s:]+:$|\p{Emoji})/u
const ASCII = /^\p{ASCII}$/u
const VARIATION_SELECTORS = /[\uFE0E\uFE0F]/g

let catalog: Catalog | undefined

/** Read at the first use, so that the server starts faster. */
function readCatalog(): Catalog {
  const file = require.resolve('emoji-toolkit/emoji_strategy.json')
  const data: Data = JSON.parse(readFileSync(file, 'utf8'))
  const names = new Map<string, string>()
  const characters = new Map<string, string>()
  const shown = new Map<string, string>()
  for (const emoji of Object.values(data)) {
    const parts = emoji.unicode_output
      .split('-')
      .map((code) => String.fromCodePoint(Number.parseInt(code, 16)))
    const whole = parts.join('')
    const text = withoutSelectors(whole)
    // Digits and the like are emoji only in keycaps.
    if (ASCII.test(text)) continue
    const name = withoutColons(emoji.shortname)
    for (const alias of [emoji.shortname, ...emoji.shortname_alternates]) {
      names.set(withoutColons(alias), name)
    }
    characters.set(text, name)
    shown.set(name, whole)
  }
  return { names, characters, shown }
}

const withoutColons = (text: string) => text.slice(1, -1)
const withoutSelectors = (text: string) => text.replaceAll(VARIATION_SELECTORS, '')

/** The stored name for an emoji's name or alias without colons; undefined when there is no such emoji. */
export function storedEmojiName(name: string): string | undefined {
  catalog ??= readCatalog()
  return catalog.names.get(name)
}

/** What to show for an emoji's name or alias without colons; undefined when there is no such emoji. */
export function charactersOfEmoji(name: string): string | undefined {
  const stored = storedEmojiName(name)
  return stored === undefined ? undefined : catalog?.shown.get(stored)
}

/** The name of the emoji when a text is a single one, as `:name:` or as characters; undefined for any other text. */
export function emojiOnly(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_LENGTH || !MAYBE_EMOJI.test(trimmed)) return undefined
  if (trimmed.startsWith(':')) return storedEmojiName(withoutColons(trimmed))
  catalog ??= readCatalog()
  return catalog.characters.get(withoutSelectors(trimmed))
}
