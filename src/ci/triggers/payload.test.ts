import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

async function withTrigger(config = 'job: { script: x }') {
  const p = await projectWithCi(config)
  const { body } = await p.maintainer.post(`${p.base}/triggers`, { description: 'Bot' })
  const token: string = body.token
  const variablesOf = async (pipeline: number) =>
    (await p.maintainer.get(`${p.base}/pipelines/${pipeline}/variables`)).body
  const payloadOf = async (pipeline: number) => {
    const variables: { key: string; value: string }[] = await variablesOf(pipeline)
    return JSON.parse(variables.find(({ key }) => key === 'TRIGGER_PAYLOAD')?.value ?? 'null')
  }
  /** Sends as a webhook does, with the token in the URL. */
  const hook = (body: object | string) =>
    new Client(w.url, {}).send('POST', `${p.base}/ref/main/trigger/pipeline?token=${token}`, {
      form: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  return { ...p, token, variablesOf, payloadOf, hook }
}

test('a pipeline of a trigger has what the trigger was called with as a file, without the token', async () => {
  const p = await withTrigger()
  const { status, body } = await new Client(w.url, {}).post(`${p.base}/trigger/pipeline`, {
    token: p.token,
    ref: 'main',
    variables: { WHO: 'bot' },
  })
  expect([status, body.message]).toEqual([201, undefined])
  expect(await p.variablesOf(body.id)).toEqual([
    {
      key: 'TRIGGER_PAYLOAD',
      value: '{"ref":"main","variables":{"WHO":"bot"}}',
      variable_type: 'file',
      raw: true,
    },
    { key: 'WHO', value: 'bot', variable_type: 'env_var', raw: false },
  ])
  expect((await p.developer.get(`${p.base}/pipelines/${body.id}/variables`)).status).toBe(403)
})

test('what a webhook sends arrives as it is, and its dollar signs read nothing', async () => {
  const p = await withTrigger('job: { script: x, rules: [{ if: "$TRIGGER_PAYLOAD =~ /SECRET/" }] }')
  await p.maintainer.post(`${p.base}/variables`, { key: 'SECRET', value: 'hidden-value' })
  const event = {
    object_kind: 'merge_request',
    object_attributes: { title: '$SECRET ${SECRET} "ü"', iid: 3 },
  }
  const { status, body } = await p.hook({ ...event, private_token: '' })
  expect([status, body.message]).toEqual([201, undefined])
  expect(await p.payloadOf(body.id)).toEqual(event)
  expect(await p.statuses(body.id)).toEqual({ job: 'pending' })
})

test('forms are JSON, too; files of theirs are their names', async () => {
  const p = await withTrigger()
  const form = new FormData()
  form.append('token', p.token)
  form.append('ref', 'main')
  form.append('variables[WHO]', 'bot')
  form.append('log', new Blob(['x'.repeat(10_000)]), 'build.log')
  const { status, body } = await new Client(w.url, {}).send('POST', `${p.base}/trigger/pipeline`, { form })
  expect([status, body.message]).toEqual([201, undefined])
  expect(await p.payloadOf(body.id)).toEqual({ ref: 'main', variables: { WHO: 'bot' }, log: 'build.log' })
})

test('a payload has at most 1 MiB, and no depth that does not fit the stack', async () => {
  const p = await withTrigger()
  const around = '{"text":""}'.length
  const fits = await p.hook({ text: 'x'.repeat(1024 * 1024 - around) })
  expect([fits.status, fits.body.message]).toEqual([201, undefined])
  const large = await p.hook({ text: 'x'.repeat(1024 * 1024 - around + 1) })
  expect([large.status, large.body.message]).toEqual([
    413,
    expect.stringContaining('the parameters are more than 1 MiB of JSON'),
  ])
  const depth = 200_000
  const deep = await p.hook(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  expect([deep.status, deep.body.message]).toEqual([400, { base: ['The parameters are nested too deep'] }])
})

test('who has no right token in the URL sends at most 64 KiB', async () => {
  const p = await withTrigger()
  const text = 'x'.repeat(70_000)
  const start = (query: string, body: object) =>
    new Client(w.url, {}).post(`${p.base}/ref/main/trigger/pipeline${query}`, { text, ...body })
  expect((await start('', { token: p.token })).status).toBe(413)
  expect((await start('?token=glptt-wrong', { token: p.token })).status).toBe(413)
  expect((await start(`?token=${p.token}`, { token: 'glptt-wrong' })).status).toBe(404)
  expect((await start(`?token=${p.token}`, {})).status).toBe(201)
})

test('the payload wins over a variable of its name', async () => {
  const p = await withTrigger()
  const { body } = await p.hook({ variables: { TRIGGER_PAYLOAD: 'mine' } })
  expect(await p.variablesOf(body.id)).toHaveLength(1)
  expect(await p.payloadOf(body.id)).toEqual({ variables: { TRIGGER_PAYLOAD: 'mine' } })
})
