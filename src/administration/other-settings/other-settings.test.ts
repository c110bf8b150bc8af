import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { definitions, effectOf } from '#platform/settings/definitions.ts'
import { settingsPage } from '../../../scripts/settings-page.ts'
import { w } from '#test/world.ts'

const path = '/application/settings'
const withEffect = (effect: 'enforced' | 'kept' | 'refused') =>
  [...definitions()].filter(([, definition]) => effectOf(definition) === effect)

/** A value that is not the default, of the same type. */
function another(standard: unknown): unknown {
  if (typeof standard === 'boolean') return !standard
  if (typeof standard === 'number') return standard + 1
  return Array.isArray(standard) ? ['7'] : '7'
}

describe('settings that no feature acts on', () => {
  test('are all in the table, with what becomes of them', () => {
    const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8')
    expect(page === settingsPage(), 'docs/settings.md is stale: run `npm run openapi`').toBe(true)
    expect(page).toContain('| `after_sign_up_text` | kept | `null` |')
    expect(page).toContain('| `notes_create_limit` | enforced | `300` |')
    expect(page).toMatch(/\| `require_two_factor_authentication` \| refused .+ no second factor yet\. \|/)
  })

  test('are sent back as they came, or refused with the reason: none is dropped', async () => {
    const { body: before } = await w.root.get(path)
    const kept = withEffect('kept')
    expect(kept.length).toBeGreaterThan(150)
    const changes = {
      ...Object.fromEntries(kept.map(([name, { default: standard }]) => [name, another(standard)])),
      default_snippet_visibility: 'internal',
    }
    const changed = await w.root.put(path, changes)
    expect([changed.status, changed.body.message]).toEqual([200, undefined])
    try {
      const { body } = await w.root.get(path)
      for (const [name, value] of Object.entries(changes))
        expect([name, [body[name]].flat().map(String)]).toEqual([name, [value].flat().map(String)])
    } finally {
      await w.root.put(path, Object.fromEntries(kept.map(([name]) => [name, before[name] ?? ''])))
    }
    expect((await w.root.get(path)).body).toEqual({ ...before, updated_at: expect.any(String) })
  })

  test('that are secrets are never stored: nothing uses them', () => {
    const secret =
      /(secret|private_key|access_key|key_pass|password|(access|auth|verification)_token|signing_key|api_key)$/
    expect(withEffect('kept').filter(([name]) => secret.test(name))).toEqual([])
    expect(withEffect('refused').filter(([name]) => secret.test(name)).length).toBeGreaterThan(15)
  })

  test('that would promise something take only the value that says how it is', async () => {
    const { body: before } = await w.root.get(path)
    const refused = withEffect('refused').filter(([name]) => name !== 'signup_enabled')
    expect(refused.length).toBeGreaterThan(150)
    const defaults = Object.fromEntries(refused.map(([name, { default: standard }]) => [name, standard]))
    expect((await w.root.put(path, defaults)).status).toBe(200)
    const wanted = Object.fromEntries(
      refused.map(([name, { default: standard }]) => [name, another(standard)]),
    )
    const { status, body } = await w.root.put(path, { ...wanted, help_text: 'Call us' })
    expect([status, Object.keys(body.message).toSorted()]).toEqual([400, Object.keys(wanted).toSorted()])
    expect(body.message).toMatchObject({
      require_two_factor_authentication: ['cannot be changed: there is no second factor yet'],
      elasticsearch_indexing: ['cannot be changed: PostgreSQL searches'],
      disable_invite_members: ['cannot be changed: who manages members can invite people'],
      globally_allowed_ips: [expect.stringMatching(/^cannot be changed: each group has ranges/)],
      prevent_merge_requests_author_approval: [expect.stringMatching(/^cannot be changed: each project/)],
    })
    expect((await w.root.get(path)).body).toEqual({ ...before, updated_at: expect.any(String) })
  })
})
