import { beforeAll, expect, test } from 'vitest'
import { definitions, effectOf } from '#platform/settings/definitions.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, submit } from '../../test-support.ts'
import { settingsAreas, settingsPath } from './areas.ts'
import { settingsIn } from './setting-fields.ts'

// The settings of the instance in the browser.

let root: Awaited<ReturnType<typeof signedIn>>
let somebody: Awaited<ReturnType<typeof signedIn>>
const pageOf = (word: string) => `/admin${settingsPath(word)}`
const settings = async () => (await w.root.get('/application/settings')).body

beforeAll(async () => {
  root = await signedIn(w, { admin: true })
  somebody = await signedIn(w)
})

/** What a browser sends when nobody has changed anything. */
function asShown(text: string): Record<string, string> {
  const unescaped = (value: string) => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const form = /<form method="post"[^>]*>(?:(?!<\/form>).)*value="save".*?<\/form>/s.exec(text)?.[0] ?? ''
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    const isSent = !tag.includes('type="checkbox"') || /\schecked/.test(tag)
    if (name !== undefined && isSent && !name.endsWith('[]'))
      fields[name] = unescaped(/\svalue="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, name = '', value = ''] of form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>([^<]*)</g))
    fields[name] = unescaped(value)
  for (const [, name = '', all = ''] of form.matchAll(/<select[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
    fields[name] = /value="([^"]*)"\s+selected/.exec(all)?.[1] ?? ''
  delete fields['authenticity_token']
  delete fields['do']
  return fields
}

test('every setting that counts is in one area, but the one that has a shorter form', () => {
  const offered = settingsAreas.flatMap((area) => settingsIn(area).map(({ name }) => name))
  const enforced = [...definitions()].filter(([, one]) => effectOf(one) === 'enforced').map(([name]) => name)
  expect(offered.toSorted()).toEqual(enforced.filter((name) => name !== 'default_branch_protection_defaults'))
  for (const area of settingsAreas) expect(settingsIn(area).length).toBeGreaterThan(1)
})

test.each(settingsAreas)(
  '$title is for administrators, and saving what is shown changes nothing',
  async ({ word }) => {
    expect((await somebody.visitor.get(pageOf(word), HERE)).status).toBe(404)
    const { status, text } = await root.visitor.get(pageOf(word), HERE)
    expect(status).toBe(200)
    const { updated_at: _, ...before } = await settings()
    const saved = await submit(root.visitor, pageOf(word), 'save', asShown(text))
    expect(saved.status).toBe(303)
    const { updated_at: __, ...after } = await settings()
    expect(after).toEqual(before)
  },
)

test('settings of each kind are changed', async () => {
  const before = await settings()
  try {
    await submit(root.visitor, pageOf('general'), 'save', {
      can_create_group: 'false',
      default_group_visibility: 'internal',
      'restricted_visibility_levels[]': 'public',
      home_page_url: 'https://example.com',
      import_sources: 'git\r\n\r\n gitlab_project ',
    })
    await submit(root.visitor, pageOf('tokens'), 'save', { max_personal_access_token_lifetime: '' })
    await submit(root.visitor, pageOf('network'), 'save', { notes_create_limit_allowlist: 'ada\r\ngrace' })
    await submit(root.visitor, pageOf('repository'), 'save', {
      'repository_storages_weighted[default]': '60',
    })
    expect(await settings()).toMatchObject({
      can_create_group: false,
      default_group_visibility: 'internal',
      restricted_visibility_levels: ['public'],
      home_page_url: 'https://example.com',
      import_sources: ['git', 'gitlab_project'],
      max_personal_access_token_lifetime: null,
      notes_create_limit_allowlist: ['ada', 'grace'],
      repository_storages_weighted: { default: 60 },
    })
  } finally {
    const { created_at: _, updated_at: __, id: ___, ...all } = before
    await w.root.put('/application/settings', all)
  }
})

test('a refusal is beside its field, and changes nothing', async () => {
  const before = await settings()
  const wrong = { notes_create_limit: '-1', search_rate_limit: '7' }
  const { status, text } = await submit(root.visitor, pageOf('network'), 'save', wrong)
  expect([status, text.includes('Notes create limit does not have a valid value')]).toEqual([400, true])
  expect(text).toContain('value="-1"')
  expect(await settings()).toEqual(before)
})

test('a form changes the settings of its own area alone', async () => {
  const before = await settings()
  await submit(root.visitor, pageOf('tokens'), 'save', { notes_create_limit: '1' })
  expect((await settings()).notes_create_limit).toBe(before.notes_create_limit)
})
