import { expect, test } from 'vitest'
import { person, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// What protects where one deploys to: protected environments and freezes.

test('protected environments of projects and tiers of groups', async () => {
  const { url } = await w.licensed()
  const group = await w.group()
  const p = await w.project({ parent: group.id })
  const who = await person(w)
  await w.member(group.id, who, 50)
  const visitor = new Visitor(url)
  await visitor.signIn(who.username, who.password)
  for (const { page, name, at } of [
    { page: `/${p.fullPath}/-/settings/ci_cd`, name: 'review/one', at: `projects/${p.id}` },
    { page: `/groups/${group.fullPath}/-/settings/ci_cd`, name: 'production', at: `groups/${group.id}` },
  ]) {
    const send = (does: string, fields: Record<string, string> = {}) => submit(visitor, page, does, fields)
    const one = async () => {
      const path = `${url}/api/v4/${at}/protected_environments/${encodeURIComponent(name)}`
      const answer = await fetch(path, { headers: who.user.headers })
      return JSON.parse(await answer.text())
    }
    await send('protect-environment', { name, access_level: '40', required_approval_count: '1' })
    expect(await one()).toMatchObject({
      required_approval_count: 1,
      deploy_access_levels: [{ access_level: 40 }],
    })
    await send(`count-approvals/${name}`, { required_approval_count: '2' })
    expect(await one()).toMatchObject({ required_approval_count: 2 })
    await send(`add-deploy/${name}`, { access_level: '40', username: `@${who.username}`, group: '' })
    const [, mine] = (await one()).deploy_access_levels
    expect(mine).toMatchObject({ user_id: who.id })
    await send(`remove-deploy/${mine.id}/${name}`)
    const wrong = await send(`add-approve/${name}`, {
      username: 'nobody-of-this-name',
      required_approvals: '2',
    })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('belongs to nobody here')
    const refusedOf = async (fields: Record<string, string>) => {
      const { status, text } = await send(`add-deploy/${name}`, { access_level: '40', ...fields })
      return [
        status,
        /id="[^"]*-(\w+)-problem"[^>]*>([^<]*)/
          .exec(text)
          ?.slice(1)
          .map((part) => part.trim()),
      ]
    }
    expect(await refusedOf({ username: '', group: 'no-group/of-this-path' })).toEqual([
      400,
      ['group', expect.stringContaining('is not the path of a group here')],
    ])
    expect(await refusedOf({ username: who.username, group: group.fullPath })).toEqual([
      400,
      ['group', expect.stringContaining('cannot be named beside a user')],
    ])
    // Both what holds the form and the form itself.
    expect(wrong.text.match(/<details class="question"\s+open/g)).toHaveLength(2)
    await send(`add-approve/${name}`, { access_level: '30', required_approvals: '2' })
    expect(await one()).toMatchObject({
      deploy_access_levels: [{ access_level: 40 }],
      approval_rules: [{ access_level: 30, required_approvals: 2 }],
    })
    const again = await send('protect-environment', { name, access_level: '40' })
    expect([again.status, again.text.includes('already exists')]).toEqual([409, true])
    await send(`unprotect-environment/${name}`)
    expect(await one()).toMatchObject({ message: '404 Not found' })
  }
  const { visitor: free } = await signedIn(w)
  expect((await free.get(`/${p.fullPath}/-/settings/ci_cd`, HERE)).status).toBe(404)
})

test('freezes are added, changed and deleted by Maintainers, where there is no plan for protection', async () => {
  const p = await w.project({ visibility: 'public' })
  const maintainer = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  const page = `/${p.fullPath}/-/settings/ci_cd`
  const freezes = async () => (await p.maintainer.get(`/projects/${p.id}/freeze_periods`)).body
  const friday = { freeze_start: '0 17 * * 5', freeze_end: '0 8 * * 1', cron_timezone: 'UTC' }
  await submit(maintainer.visitor, page, 'add-freeze', friday)
  const [{ id }] = await freezes()
  await submit(maintainer.visitor, page, `change-freeze/${id}`, { ...friday, cron_timezone: 'Europe/Berlin' })
  expect(await freezes()).toMatchObject([{ ...friday, cron_timezone: 'Europe/Berlin' }])
  const wrong = await submit(maintainer.visitor, page, 'add-freeze', { ...friday, freeze_end: 'never' })
  expect([wrong.status, wrong.text.includes('id="add-freeze-freeze_end-problem"')]).toEqual([400, true])
  await submit(maintainer.visitor, page, `delete-freeze/${id}`)
  expect(await freezes()).toEqual([])
  const { text } = await maintainer.visitor.get(page, HERE)
  expect(formsIn(text)).not.toContain('protect-environment')
})
