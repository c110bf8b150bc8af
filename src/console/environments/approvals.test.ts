import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { giveSample } from '#test/repositories.ts'
import { csrfTokenIn, person, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

test('a deployment that waits is approved and rejected, and says whose approval it lacks', async () => {
  const { url } = await w.licensed()
  const p = await w.project({ visibility: 'public' })
  await giveSample(p)
  const visit = async (level: 30 | 40) => {
    const who = await person(w)
    await w.member(p.namespaceId, who, level)
    const visitor = new Visitor(url)
    await visitor.signIn(who.username, who.password)
    return visitor
  }
  const [first, second] = [await visit(40), await visit(40)]
  const owner = new Client(url, p.owner.headers)
  const at = `/projects/${p.id}`
  const protection = {
    name: 'production',
    deploy_access_levels: [{ access_level: 30 }],
    approval_rules: [{ access_level: 40, required_approvals: 2 }],
  }
  expect((await owner.post(`${at}/protected_environments`, protection)).status).toBe(201)
  const deploys = async () => {
    const deployment = { environment: 'production', sha: 'main', ref: 'main', tag: false, status: 'running' }
    return (await owner.post(`${at}/deployments`, deployment)).body
  }
  const { id, environment } = await deploys()
  const list = `/${p.fullPath}/-/environments`
  const page = `${list}/${environment.id}`
  expect((await first.get(list, HERE)).text).toContain('Waits for approval')
  await submit(first, page, `approve/${id}`, { comment: 'Looks <b>good</b>' })
  const shown = (await second.get(page, HERE)).text
  expect(shown).toContain('<bdi>Maintainers</bdi>: 1 of 2')
  expect(shown).toContain('Looks &lt;b&gt;good&lt;/b&gt;')
  const stranger = (await new Visitor(url).get(page, HERE)).text
  expect(formsIn(stranger)).toEqual([])
  await submit(second, page, `approve/${id}`, { comment: '' })
  expect((await owner.get(`${at}/deployments/${id}`)).body.status).toBe('created')
  const other = await deploys()
  await submit(first, page, `approve/${other.id}`)
  const { text } = await first.get(page, HERE)
  expect(text).toContain(`value="reject/${other.id}"`)
  const developer = await visit(30)
  const unoffered = (await developer.get(page, HERE)).text
  expect(formsIn(unoffered)).toEqual(['save', 'stop'])
  const sent = { authenticity_token: csrfTokenIn(unoffered), comment: 'May I?' }
  const refused = await developer.post(page, { ...sent, do: `approve/${other.id}` }, HERE)
  expect([refused.status, refused.text.includes('may not approve or reject')]).toEqual([403, true])
  expect(refused.text).toContain('May I?')
  await submit(second, page, `reject/${other.id}`, { comment: 'Not on a Friday' })
  expect((await owner.get(`${at}/deployments/${other.id}`)).body.status).toBe('failed')
})

test('whoever deployed is offered to reject alone, and whoever several rules mean says for which', async () => {
  const { url } = await w.licensed()
  const p = await w.project({ visibility: 'public' })
  await giveSample(p)
  const one = await person(w)
  await w.member(p.namespaceId, one, 40)
  const visitor = new Visitor(url)
  await visitor.signIn(one.username, one.password)
  const owner = new Client(url, p.owner.headers)
  const protection = {
    name: 'production',
    deploy_access_levels: [{ access_level: 30 }],
    approval_rules: [{ access_level: 40 }, { user_id: one.id }, { user_id: p.owner.id }],
  }
  await owner.post(`/projects/${p.id}/protected_environments`, protection)
  const deploys = async (by: Client) => {
    const deployment = { environment: 'production', sha: 'main', ref: 'main', tag: false, status: 'running' }
    return (await by.post(`/projects/${p.id}/deployments`, deployment)).body
  }
  const { id: own, environment } = await deploys(new Client(url, one.user.headers))
  const { id } = await deploys(owner)
  const page = `/${p.fullPath}/-/environments/${environment.id}`
  const { text } = await visitor.get(page, HERE)
  expect(formsIn(text)).toContain(`reject/${own}`)
  expect(formsIn(text)).not.toContain(`approve/${own}`)
  const [choice = ''] = /<select[^>]*approve-[^>]*represented_as[^]*?<\/select>/.exec(text) ?? []
  expect([choice.includes(one.username), choice.includes('Maintainers')]).toEqual([true, true])
  expect(choice).not.toContain(p.owner.username)
  await submit(visitor, page, `approve/${id}`, { comment: '', represented_as: one.username })
  const { rules } = (await owner.get(`/projects/${p.id}/deployments/${id}`)).body.approval_summary
  expect(rules.map((rule: { deployment_approvals: object[] }) => rule.deployment_approvals.length)).toEqual([
    0, 1, 0,
  ])
})
