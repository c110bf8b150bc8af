import type { Shown, Visitor } from '#test/visitor.ts'
import { SHOWN } from '#console/frame/forms.ts'
import type { World } from '#test/world.ts'

const HERE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** Pages that one person visits. */
const MOST_PAGES = 250

/** A form as it stands in a page, to be sent by one of its buttons. */
export interface Form {
  readonly page: string
  /** Where it is sent, if not to the page. */
  readonly to?: string | undefined
  /** What its button says that it does; empty for a form that does one thing. */
  readonly does: string
  readonly fields: readonly (readonly [string, string])[]
  /** Whether something must be typed or chosen before it can be sent. */
  readonly isUnfilled: boolean
}

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const attribute = (tag: string, name: string) => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : unescaped(value)
}

/** What is typed where something must be, by the kind of the field. */
const usual: Readonly<Record<string, string>> = {
  email: 'somebody@example.com',
  url: 'https://example.com',
  number: '1',
  date: '2099-01-01',
  password: 'correct horse battery',
}

/** Whether a browser would not send it before somebody fills it in; a list of which nothing is chosen may be such, too. */
const isUnfilled = (form: string): boolean =>
  [...form.matchAll(/<(?:input|textarea|select)\b[^>]*\srequired[^>]*>\n?(<\/textarea)?/g)].some(([tag]) =>
    tag.startsWith('<textarea') ? tag.endsWith('</textarea') : (attribute(tag, 'value') ?? '') === '',
  ) ||
  [...form.matchAll(/<fieldset\b.*?<\/fieldset>/gs)].some(
    ([all]) => /type="(?:checkbox|radio)"/.test(all) && !/\schecked/.test(all),
  )

/** What a browser would send of a form that nobody has touched; what must be filled in gets a word. */
function fieldsOf(form: string): readonly (readonly [string, string])[] {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const [name, type = 'text', value = ''] = [
      attribute(tag, 'name'),
      attribute(tag, 'type'),
      attribute(tag, 'value'),
    ]
    if (name === undefined || type === 'file' || (type === 'checkbox' && !/\schecked/.test(tag))) return []
    return [[name, value === '' && /\srequired/.test(tag) ? (usual[type] ?? 'word') : value]]
  })
  const texts = [...form.matchAll(/<textarea\b([^>]*)>\n?([^<]*)<\/textarea\s*>/g)].map(
    ([, tag = '', value = '']): [string, string] => [
      attribute(tag, 'name') ?? '',
      value === '' && /\srequired/.test(tag) ? 'Words' : unescaped(value),
    ],
  )
  const choices = [...form.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)].map(
    ([, tag = '', options = '']): [string, string] => {
      const [chosen = ''] =
        /<option[^>]*\sselected[^>]*>/.exec(options) ?? /<option[^>]*>/.exec(options) ?? []
      return [attribute(tag, 'name') ?? '', attribute(chosen, 'value') ?? '']
    },
  )
  return [...inputs, ...texts, ...choices]
}

/** The forms of a page as they stand in it, without those of the header. */
export function formsIn(text: string, page: string): readonly Form[] {
  const forms: Form[] = []
  const [main = ''] = /<main.*<\/main>/s.exec(text) ?? []
  for (const [form, tag = ''] of main.matchAll(/(<form method="post"[^>]*>).*?<\/form>/gs)) {
    const buttons = [...form.matchAll(/<button\b[^>]*name="do"[^>]*>/g)]
    const names = buttons.map(([button]) => attribute(button, 'value') ?? '')
    for (const does of names.length === 0 ? [''] : names)
      forms.push({
        page,
        to: attribute(tag, 'action'),
        does,
        fields: fieldsOf(form),
        isUnfilled: isUnfilled(form),
      })
  }
  return forms
}

/** The same of a page that somebody visits. */
export const formsOn = async (visitor: Visitor, page: string): Promise<readonly Form[]> =>
  formsIn((await visitor.get(page, HERE)).text, page)

/** Without what says what the form showed, all its fields are asked for, as if each was typed. */
const everyField = (form: Form): Form => ({ ...form, fields: form.fields.filter(([name]) => name !== SHOWN) })

/**
 * All forms of all pages that lead on from one, without those of the header.
 * @param isBelow whether a page that is linked is visited, too
 */
export async function formsBelow(
  visitor: Visitor,
  start: string,
  isBelow: (address: string) => boolean,
): Promise<readonly Form[]> {
  const seen = new Set([start])
  const waiting = [start]
  const forms: Form[] = []
  for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
    const { status, text } = await visitor.get(page, HERE)
    if (status !== 200) continue
    forms.push(...formsIn(text, page).map(everyField))
    for (const [link] of text.matchAll(/<a\b[^>]*>/g)) {
      const [address = ''] = (attribute(link, 'href') ?? '').split('#')
      // The same page with another part of a list or another way to look at it has the same forms.
      if (!isBelow(address) || seen.has(address) || /\?(?!note=)|\/raw\/|\/archive\//.test(address)) continue
      if (seen.size < MOST_PAGES) waiting.push(address)
      seen.add(address)
    }
  }
  return forms
}

/** Sends it as a browser does. */
export async function send(
  w: World,
  visitor: Visitor,
  { page, to = page, does, fields }: Pick<Form, 'page' | 'to' | 'does' | 'fields'>,
): Promise<Shown> {
  await w.running.services.limits.forget()
  const pairs = [...fields.map(([name, value]) => [name, value]), ...(does === '' ? [] : [['do', does]])]
  return visitor.post(to, new URLSearchParams(pairs), HERE)
}
