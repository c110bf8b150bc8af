import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

test('maintainers protect images, tags and packages, and say what is cleaned up', async () => {
  const p = await w.project()
  const { visitor, ...maintainer } = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  const page = `/${p.fullPath}/-/settings/packages_and_registries`
  const { text } = await visitor.get(page, HERE)
  for (const none of ['No image is protected', 'No tag is protected', 'No package is protected'])
    expect(text).toContain(none)
  for (const { kind, rules, pattern, more } of [
    {
      kind: 'repository',
      rules: 'registry/protection/repository/rules',
      pattern: { repository_path_pattern: `${p.fullPath.toLowerCase()}/prod*` },
      more: {},
    },
    { kind: 'tag', rules: 'registry/protection/tag/rules', pattern: { tag_name_pattern: '^v' }, more: {} },
    {
      kind: 'package',
      rules: 'packages/protection/rules',
      pattern: { package_name_pattern: '@<b>/*' },
      more: { package_type: 'npm' },
    },
  ]) {
    const list = async () => (await p.maintainer.get(`/projects/${p.id}/${rules}`)).body
    await submit(visitor, page, `protect-${kind}`, {
      ...pattern,
      ...more,
      minimum_access_level_for_push: 'maintainer',
      minimum_access_level_for_delete: 'owner',
    })
    const [rule] = await list()
    expect(rule).toMatchObject({ ...pattern, ...more, minimum_access_level_for_delete: 'owner' })
    // Rules of tags name both roles or none.
    const chosen = kind === 'tag' ? 'admin' : ''
    await submit(visitor, page, `change-${kind}/${rule.id}`, {
      minimum_access_level_for_push: 'owner',
      minimum_access_level_for_delete: chosen,
    })
    expect(await list()).toMatchObject([
      { minimum_access_level_for_push: 'owner', minimum_access_level_for_delete: chosen || null },
    ])
    const name = Object.keys(pattern)[0] ?? ''
    const wrong = await submit(visitor, page, `protect-${kind}`, { ...more, [name]: '' })
    expect([wrong.status, wrong.text.includes(`id="protect-${kind}-${name}-problem"`)]).toEqual([400, true])
    await submit(visitor, page, `remove-${kind}/${rule.id}`)
    expect(await list()).toEqual([])
  }
  const policy = { enabled: 'true', cadence: '7d', name_regex: 'dev-.*', keep_n: '', older_than: '' }
  await submit(visitor, page, 'save-cleanup', { ...policy, name_regex_keep: '' })
  expect((await p.maintainer.get(`/projects/${p.id}`)).body.container_expiration_policy).toMatchObject({
    enabled: true,
    cadence: '7d',
    name_regex: 'dev-.*',
    keep_n: null,
    older_than: null,
    name_regex_keep: null,
  })
  const wrong = await submit(visitor, page, 'save-cleanup', { ...policy, keep_n: '-1' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toMatch(/problem"/)
  const developer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  expect((await developer.visitor.get(page, HERE)).status).toBe(404)
})
