import { expect, test } from 'vitest'
import { cloneOf, urlWith, withGit } from '#code/git-http/test-support.ts'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

withGit()

const REFUSED = { base: ['Insufficient permissions to set pipeline variables'] }
const variables = [{ key: 'WHO', value: 'me' }]
const CONFIG = 'job: { script: x }\nmanual: { script: x, when: manual }'

async function leftTo(role: string, config = CONFIG) {
  const p = await projectWithCi(config)
  const { status } = await p.owner.put(p.base, { ci_pipeline_variables_minimum_override_role: role })
  expect(status).toBe(200)
  return p
}

test.each([
  ['developer', [201, 201, 201, 201]],
  ['maintainer', [400, 201, 201, 201]],
  ['owner', [400, 400, 201, 201]],
  ['no_one_allowed', [400, 400, 400, 400]],
])('left to %s', async (role, expected) => {
  const p = await leftTo(role)
  const answers = []
  for (const by of [p.developer, p.maintainer, p.owner, p.admin])
    answers.push(await by.post(`${p.base}/pipeline`, { ref: 'main', variables }))
  expect(answers.map(({ status }) => status)).toEqual(expected)
  for (const { status, body } of answers) if (status === 400) expect(body.message).toEqual(REFUSED)
  expect((await p.developer.post(`${p.base}/pipeline`, { ref: 'main', variables: [] })).status).toBe(201)
})

test('a job is played with variables by those who may give them', async () => {
  const p = await leftTo('maintainer')
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'manual')
  const given = { job_variables_attributes: variables }
  expect((await p.developer.post(`${p.base}/jobs/${job}/play`, given)).status).toBe(403)
  expect(await p.variablesOf(job)).toEqual([])
  expect((await p.maintainer.post(`${p.base}/jobs/${job}/play`, given)).status).toBe(200)
  expect(await p.variablesOf(job)).toHaveLength(1)
})

test('a trigger gives variables as its owner may', async () => {
  const p = await leftTo('owner')
  const started = async (by: typeof p.owner, sent: object) => {
    const { token } = (await by.post(`${p.base}/triggers`, { description: 'Bot' })).body
    return new Client(w.url).post(`${p.base}/trigger/pipeline`, { token, ref: 'main', ...sent })
  }
  const refused = await started(p.maintainer, { variables: { WHO: 'bot' } })
  expect([refused.status, refused.body.message]).toEqual([400, REFUSED])
  const bare = await started(p.maintainer, {})
  expect(bare.status).toBe(201)
  // Nor what the request had.
  expect((await p.owner.get(`${p.base}/pipelines/${bare.body.id}/variables`)).body).toEqual([])
  expect((await started(p.owner, { variables: { WHO: 'bot' } })).status).toBe(201)
})

test('a push with variables makes no pipeline for those who may not give them', async () => {
  const p = await leftTo('maintainer')
  const clone = await cloneOf(urlWith(p.developer.token, p.fullPath))
  const push = async (branch: string, ...options: string[]) => {
    await clone.run('checkout', '--quiet', '-b', branch)
    await clone.commit({ [branch]: branch })
    await clone.run('push', '--quiet', ...options, 'origin', branch)
  }
  await push('with', '-o', 'ci.variable=WHO=me')
  await push('without')
  await until(async () => {
    const { body } = await p.developer.get(`${p.base}/pipelines`)
    expect(body.map(({ ref }: { ref: string }) => ref)).toEqual(['without'])
  })
})

test('a job gives variables to a pipeline of another project as the person may there, and always to a child', async () => {
  const other = await leftTo('maintainer')
  const p = await projectWithCi(
    `
other: { trigger: ${other.fullPath}, variables: { WHO: me } }
bare: { trigger: { project: ${other.fullPath} }, inherit: { variables: false } }
child: { trigger: { include: child.yml }, variables: { WHO: me } }
`,
    { files: { 'child.yml': 'job: { script: x }' } },
  )
  await p.owner.put(p.base, { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' })
  await w.member(other.namespaceId, p.developer, 30)
  const { id } = await p.create()
  await p.untilJob(id, 'bare', 'success')
  await p.untilJob(id, 'child', 'success')
  await p.untilJob(id, 'other', 'failed')
  expect((await p.job(id, 'other')).failure_reason).toBe('downstream_pipeline_creation_failed')
})

test('variables of a schedule are written by those who may give them, and count from then on', async () => {
  const p = await leftTo('developer', 'job: { script: x, rules: [{ if: $WHO == "me" }] }')
  const schedules = `${p.base}/pipeline_schedules`
  const { body } = await p.developer.post(schedules, { description: 'x', ref: 'main', cron: '0 1 * * *' })
  const path = `${schedules}/${body.id}/variables`
  expect((await p.developer.post(path, { key: 'WHO', value: 'me' })).status).toBe(201)
  await p.owner.put(p.base, { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' })
  const message = '403 Forbidden - The current user is not authorized to set pipeline schedule variables'
  for (const { status, body: said } of [
    await p.owner.post(path, { key: 'B', value: 'b' }),
    await p.developer.put(`${path}/WHO`, { value: 'other' }),
  ])
    expect([status, said.message]).toEqual([403, message])
  await p.developer.post(`${schedules}/${body.id}/play`)
  await until(async () =>
    expect((await p.developer.get(`${p.base}/pipelines?source=schedule`)).body).toHaveLength(1),
  )
  expect((await p.developer.delete(`${path}/WHO`)).status).toBe(202)
})

test('only owners leave it to owners, and change it while it is left to them or to nobody', async () => {
  const p = await projectWithCi(CONFIG)
  const change = async (by: typeof p.owner, changes: object) => {
    const { status, body } = await by.put(p.base, changes)
    return [status, status === 200 ? body.ci_pipeline_variables_minimum_override_role : body.message]
  }
  const name = 'ci_pipeline_variables_minimum_override_role'
  const locked = `Changing the restrict_user_defined_variables or ${name} is not allowed`
  expect(await change(p.maintainer, { [name]: 'maintainer' })).toEqual([200, 'maintainer'])
  expect(await change(p.maintainer, { [name]: 'owner' })).toEqual([
    400,
    `Changing the ${name} to the owner role is not allowed`,
  ])
  expect(await change(p.owner, { [name]: 'owner' })).toEqual([200, 'owner'])
  expect(await change(p.maintainer, { [name]: 'owner', description: 'same' })).toEqual([200, 'owner'])
  expect(await change(p.maintainer, { restrict_user_defined_variables: false })).toEqual([400, locked])
  expect(await change(p.maintainer, { restrict_user_defined_variables: true })).toEqual([200, 'owner'])
  expect(await change(p.owner, { [name]: 'no_one_allowed' })).toEqual([200, 'no_one_allowed'])
  expect(await change(p.maintainer, { [name]: 'developer' })).toEqual([400, locked])
  expect(await change(p.admin, { restrict_user_defined_variables: false })).toEqual([200, 'developer'])
})
