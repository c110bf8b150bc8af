import { html } from '#platform/http/html.ts'
import { type Definition, definitions, effectOf } from '#platform/settings/definitions.ts'
import type { Field } from '../../frame/fields.ts'
import { titled } from '../../parts/words.ts'
import { areaOf, type SettingsArea } from './areas.ts'

/** What a form needs to know of the values of a setting. */
type Kind = 'flag' | 'number' | 'line' | 'word' | 'words' | 'lines' | 'numbers'

interface Setting {
  readonly name: string
  readonly definition: Definition<unknown>
  readonly kind: Kind
}

/** The settings of an area that the program acts on: their forms are made from what features declare of them. */
export const settingsIn = (area: SettingsArea): readonly Setting[] =>
  [...definitions()].flatMap(([name, definition]) => {
    if (areaOf(name) !== area || effectOf(definition) !== 'enforced') return []
    const kind = kindOf(definition)
    return kind === undefined ? [] : [{ name, definition, kind }]
  })

/** Undefined for what no field can say. */
function kindOf({ schema }: Definition<unknown>): Kind | undefined {
  const { types, words, items, properties } = read(schema)
  if (types.includes('boolean')) return 'flag'
  if (types.includes('integer')) return 'number'
  if (types.includes('string')) return words === undefined ? 'line' : 'word'
  if (types.includes('array')) return read(items).words === undefined ? 'lines' : 'words'
  return types.includes('object') && properties === undefined ? 'numbers' : undefined
}

/** The fields of a setting: one, or one for each name where it has several numbers. @param value as the API tells it */
export function settingFields({ name, definition, kind }: Setting, value: unknown): readonly Field[] {
  const { words, items, minimum, maximum } = read(definition.schema)
  const shared = {
    name,
    label: titled(name),
    // Written for Markdown, too.
    hint: `${definition.about.replaceAll('`', '')} ${usually(definition.default)}`,
  }
  const bounds = html`min="${minimum}" max="${maximum}"`
  if (kind === 'flag') return [{ ...shared, is: 'check', value: value === true }]
  if (kind === 'number')
    return [{ ...shared, is: 'number', attributes: bounds, value: typeof value === 'number' ? value : null }]
  if (kind === 'word') return [{ ...shared, is: 'choice', value: String(value), options: options(words) }]
  if (kind === 'words')
    return [{ ...shared, is: 'choices', value: texts(value), options: options(read(items).words) }]
  if (kind === 'lines')
    return [{ ...shared, hint: `${shared.hint} One in a line.`, is: 'lines', value: texts(value).join('\n') }]
  if (kind === 'numbers')
    return Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([key, number]) => ({
      name: `${name}[${key}]`,
      label: `${shared.label}: ${key}`,
      hint: definition.about.replaceAll('`', ''),
      is: 'number',
      value: Number(number),
      required: true,
    }))
  return [{ ...shared, value: typeof value === 'string' ? value : null }]
}

/** What a form sent, as the API takes it: lines as a list, and nothing where nothing was typed. */
export function settingValue({ kind, definition }: Setting, sent: unknown): unknown {
  if (kind === 'lines' && typeof sent === 'string')
    return sent
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  if (kind === 'words' && Array.isArray(sent)) return sent.filter((word) => word !== '')
  return sent === '' && read(definition.schema).types.includes('null') ? null : sent
}

const options = (words: readonly string[] = []) => words.map((value) => ({ value, label: titled(value) }))

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

function usually(value: unknown): string {
  if (value === null) return 'Usually empty.'
  if (typeof value === 'boolean') return `Usually ${value ? 'on' : 'off'}.`
  if (Array.isArray(value)) return value.length === 0 ? 'Usually none.' : `Usually ${value.join(', ')}.`
  return typeof value === 'string' || typeof value === 'number' ? `Usually ${value}.` : ''
}

/** What a schema says, where it says it. */
function read(schema: unknown) {
  const all: Readonly<Record<string, unknown>> =
    typeof schema === 'object' && schema !== null ? { ...schema } : {}
  const { type, enum: words, items, properties, minimum, maximum } = all
  return {
    types: [type].flat(),
    words: Array.isArray(words) ? words.filter((word) => typeof word === 'string') : undefined,
    items,
    properties,
    minimum: typeof minimum === 'number' ? minimum : undefined,
    maximum: typeof maximum === 'number' ? maximum : undefined,
  }
}
