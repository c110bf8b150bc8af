import { request } from 'node:http'
import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { w } from '#test/world.ts'
import { failStuckJobs } from '../jobs/fail-stuck-jobs.ts'
import { zipOf } from '../artifacts/zip.ts'
import { MOST_BYTES } from '../logs/append-log.ts'
import { projectWithCi } from '../test-support.ts'
import { MOST_MANAGERS } from '../runners/note-contact.ts'
import { patchTrace, runner } from './test-support.ts'

// Runners that lie, flood, or fall silent.

let p: Awaited<ReturnType<typeof projectWithCi>>
beforeAll(async () => {
  p = await projectWithCi('job: { script: x, artifacts: { paths: [out] } }')
})

async function take() {
  const { id: pipeline } = await p.create()
  const one = await runner({ project: p.id })
  return { pipeline, job: await one.take() }
}
const shownJob = async (id: number) => (await p.developer.get(`${p.base}/jobs/${id}`)).body

test("another job's token changes nothing", async () => {
  const { job: mine } = await take()
  const { job: theirs } = await take()
  const asOther = { ...theirs, id: theirs.id }
  expect((await patchTrace(w.url, theirs.id, mine.token, '0-1', 'x')).status).toBe(403)
  expect((await w.anonymous.put(`/jobs/${theirs.id}`, { token: mine.token, state: 'failed' })).status).toBe(
    403,
  )
  expect((await w.anonymous.put(`/jobs/${theirs.id}`, { state: 'failed' })).status).toBe(403)
  expect((await p.developer.put(`/jobs/${theirs.id}`, { state: 'failed' })).status).toBe(403)
  expect((await mine.download(asOther.id)).status).toBe(403)
  expect((await w.anonymous.get(`/jobs/${theirs.id}/artifacts`)).status).toBe(403)
  // Nothing is told of a job to those who do not have it.
  await theirs.update('success')
  const told = await patchTrace(w.url, theirs.id, mine.token, '0-1', 'x')
  expect([told.status, told.headers.get('job-status')]).toEqual([403, null])
  expect((await patchTrace(w.url, 999_999_999, mine.token, '0-1', 'x')).status).toBe(404)
  expect((await patchTrace(w.url, theirs.id, 'x'.repeat(5_000), '0-1', 'x')).status).toBe(403)
  expect(await shownJob(mine.id)).toMatchObject({ status: 'running' })
})

test('what is no artifact is refused with a reason, and leaves the job as it is', async () => {
  const { job } = await take()
  const message = async (sent: ReturnType<typeof job.upload>) => {
    const { status, body } = await sent
    return [status, body?.message ?? body?.error]
  }
  expect(await message(job.upload('x', { artifact_type: '../../etc' }))).toEqual([
    400,
    expect.stringContaining('artifact_type'),
  ])
  expect(await message(job.upload('x', { artifact_type: 'trace', artifact_format: 'raw' }))).toEqual([
    400,
    expect.stringContaining('artifact_type'),
  ])
  expect(await message(job.upload('x', { artifact_type: 'made_up', artifact_format: 'raw' }))).toEqual([
    400,
    expect.stringContaining('artifact_type'),
  ])
  expect(await message(job.upload('x', { artifact_format: 'exe' }))).toEqual([
    400,
    expect.stringContaining('artifact_format'),
  ])
  expect(await message(job.upload('x', { artifact_format: 'raw' }))).toEqual([
    400,
    expect.stringContaining('zip'),
  ])
  const two = new FormData()
  for (const name of ['a', 'b']) two.append('file', new Blob([name]), name)
  const send = (form: FormData | string, type?: string) =>
    w.anonymous.send('POST', `/jobs/${job.id}/artifacts`, {
      form,
      headers: { 'job-token': job.token, ...(type !== undefined && { 'content-type': type }) },
    })
  expect(await message(send(two))).toEqual([400, expect.stringContaining('more than one file')])
  expect(await message(send(new FormData()))).toEqual([400, expect.stringContaining('file is missing')])
  expect(await message(send('x'))).toEqual([400, expect.stringContaining('multipart/form-data')])
  expect(await message(send('--b\r\nnonsense', 'multipart/form-data; boundary=b'))).toEqual([
    400,
    expect.anything(),
  ])
  expect((await shownJob(job.id)).artifacts).toEqual([])

  await p.owner.put(p.base, { max_artifacts_size: 1 })
  expect(await message(job.upload(Buffer.alloc(1024 * 1024 + 1)))).toEqual([
    413,
    expect.stringContaining('larger than 1048576 bytes'),
  ])
  expect((await job.upload(Buffer.alloc(1024 * 1024))).status).toBe(201)
})

test('an upload that breaks off is none', async () => {
  const { job } = await take()
  const { hostname, port } = new URL(w.url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.write(
    `POST /api/v4/jobs/${job.id}/artifacts HTTP/1.1\r\nhost: x\r\njob-token: ${job.token}\r\ntransfer-encoding: chunked\r\n` +
      'content-type: multipart/form-data; boundary=b\r\n\r\n' +
      '44\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n\r\n',
  )
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.end()
  socket.destroy()
  await closed
  expect((await job.upload('PK')).status).toBe(201)
  expect((await shownJob(job.id)).artifacts).toMatchObject([{ file_type: 'archive', size: 2 }])
})

test('a cancel while artifacts arrive leaves none', async () => {
  const { job } = await take()
  const sent = new Promise<[number | undefined, unknown]>((resolve, reject) => {
    const asked = request(
      `${w.url}/api/v4/jobs/${job.id}/artifacts`,
      {
        method: 'POST',
        headers: {
          'job-token': job.token,
          'content-type': 'multipart/form-data; boundary=b',
          expect: '100-continue',
        },
      },
      (answer) => answer.resume().on('end', () => resolve([answer.statusCode, answer.headers['job-status']])),
    )
    asked.on('error', reject)
    asked.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\nPK')
    // The server reads the body now, so it knows the job.
    asked.on('continue', () => {
      p.developer.post(`${p.base}/jobs/${job.id}/cancel`).then(() => asked.end('more\r\n--b--\r\n'), reject)
    })
  })
  expect(await sent).toEqual([403, 'canceled'])
  expect(await shownJob(job.id)).toMatchObject({ status: 'canceled', artifacts: [] })
})

/** A zip archive that says of its only file that it is smaller than it is. */
async function understated(size: number): Promise<Buffer> {
  const zip = Buffer.from(await zipOf({ bomb: '0'.repeat(size) }))
  zip.writeUInt32LE(10, zip.indexOf('PK\x01\x02', 0, 'latin1') + 24)
  return zip
}

/** One whose index, of zeros, is said to fill the whole of it. */
function indexOfZeros(size: number): Buffer {
  const zip = Buffer.alloc(size)
  const end = zip.length - 22
  zip.write('PK\x05\x06', end, 'latin1')
  zip.writeUInt16LE(0xffff - 1, end + 8)
  zip.writeUInt16LE(0xffff - 1, end + 10)
  zip.writeUInt32LE(end, end + 12)
  return zip
}

test('archives that lie harm nobody who reads files out of them', async () => {
  await p.owner.put(p.base, { max_artifacts_size: 100 })
  const read = async (zip: Buffer, path: string) => {
    const { job } = await take()
    expect((await job.upload(zip)).status).toBe(201)
    return p.developer.get(`${p.base}/jobs/${job.id}/artifacts/${path}`)
  }
  const outside = await read(
    Buffer.from(await zipOf({ '../../etc/passwd': 'mine' })),
    '..%2F..%2Fetc%2Fpasswd',
  )
  expect([outside.status, outside.body.message]).toEqual([422, 'The artifacts are no zip archive'])
  const bomb = await read(await understated(5_000_000), 'bomb')
  expect([bomb.status, bomb.body.message]).toEqual([422, 'The artifacts are no zip archive'])
  const index = await read(indexOfZeros(65 * 1024 * 1024), 'x')
  expect([index.status, index.body.message]).toEqual([422, 'The archive has too many files to be read'])
})

test('reports that unpack to more than they may count for nothing', async () => {
  const q = await projectWithCi('one: { script: x }\ntwo: { needs: [one], script: x }')
  const { id: pipeline } = await q.create()
  const one = await runner({ project: q.id })
  const first = await one.take()
  const bomb = (begin: string) => gzipSync(begin + 'A'.repeat(20 * 1024 * 1024))
  for (const [artifact_type, file] of [
    ['dotenv', bomb('EVIL=')],
    ['junit', bomb('<testsuites>')],
  ] as const)
    expect((await first.upload(file, { artifact_type, artifact_format: 'gzip' })).status).toBe(201)
  await first.update('success')
  expect((await one.take()).variables).not.toHaveProperty('EVIL')
  const { status, body } = await q.developer.get(`${q.base}/pipelines/${pipeline}/test_report`)
  expect([status, body.total_count, body.test_suites[0].suite_error]).toEqual([
    200,
    0,
    'The report cannot be unpacked',
  ])
})

test('variables of whoever starts a job replace neither its token nor what the log covers', async () => {
  const hush = 'aaaaaaaa.*+?^$[x'
  const q = await projectWithCi('job: { script: x }')
  await q.maintainer.post(`${q.base}/variables`, { key: 'HUSH', value: 'aaaaaaaa', masked: true })
  await q.maintainer.post(`${q.base}/variables`, { key: 'LONGER', value: 'aaaaaaaabbbb', masked: true })
  const given = {
    CI_JOB_TOKEN: 'stolen',
    CI_REPOSITORY_URL: 'https://evil.example.com/x.git',
    LEAK: 'before $HUSH $LONGER after',
    CONTROL: '\u001b[2J\u0000\r\n$& $1 ${HUSH',
    HUSH_NOT: hush,
  }
  const variables = Object.entries(given).map(([key, value]) => ({ key, value: value.replaceAll('\0', '') }))
  await q.create({ variables })
  const job = await (await runner({ project: q.id })).take()
  expect(job.variables).toMatchObject({
    CI_JOB_TOKEN: job.token,
    CI_REPOSITORY_URL: expect.stringContaining(`:${job.token}@`),
    LEAK: 'before aaaaaaaa aaaaaaaabbbb after',
    HUSH_NOT: hush,
  })
  for (const value of [job.variables['LEAK'], job.variables['CONTROL'], job.variables['HUSH_NOT'], job.token])
    await job.trace(`${value}\n`)
  await job.trace('aaaaaaaab')
  await job.trace('bbb aaaa\xff')
  expect((await job.update('success')).status).toBe(200)
  const { text } = await q.developer.get(`${q.base}/jobs/${job.id}/trace`)
  expect(text).toBe(
    [
      'before xxxxxxxx xxxxxxxxxxxx after',
      given.CONTROL.replaceAll('\0', ''),
      `xxxxxxxx${hush.slice(8)}`,
      'x'.repeat(job.token.length),
      'xxxxxxxxxxxx aaaa\xff',
    ].join('\n'),
  )
})

test('an endless log ends its job', async () => {
  const { job } = await take()
  await w.db
    .insertInto('ci_job_log_pieces')
    .values({ job_id: job.id, start: MOST_BYTES - 5, bytes: Buffer.from('abc') })
    .execute()
  const { status, headers } = await job.trace('more than fits', MOST_BYTES - 2)
  expect([status, headers.get('job-status')]).toEqual([403, 'failed'])
  expect(await shownJob(job.id)).toMatchObject({ status: 'failed', failure_reason: 'trace_size_exceeded' })
})

test('a silent runner loses its job, and so does one that is too slow or gone', async () => {
  const all = await Promise.all([take(), take(), take(), take(), take()])
  const [silent, early, slow, gone, fine] = all
  await w.db.updateTable('ci_jobs').set({ timeout: 86_400 }).where('project_id', '=', p.id).execute()
  const now = w.clock.now().getTime()
  const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
  const heard = (id: number, values: object) =>
    w.db.updateTable('ci_running_jobs').set(values).where('job_id', '=', id).execute()
  await w.db
    .updateTable('ci_jobs')
    .set({ started_at: ago(90) })
    .where('id', '=', silent.job.id)
    .execute()
  for (const { job } of all) await heard(job.id, { timeout: 86_400 })
  await heard(silent.job.id, { contacted_at: ago(61) })
  await w.db
    .updateTable('ci_jobs')
    .set({ started_at: ago(61) })
    .where('id', '=', early.job.id)
    .execute()
  await heard(early.job.id, { contacted_at: ago(61) })
  await w.db
    .updateTable('ci_jobs')
    .set({ started_at: ago(11) })
    .where('id', '=', slow.job.id)
    .execute()
  await heard(slow.job.id, { timeout: 600 })
  await w.db.deleteFrom('ci_running_jobs').where('job_id', '=', gone.job.id).execute()
  const { signal } = new AbortController()
  await failStuckJobs.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
  const reasons = await Promise.all(
    [silent, early, slow, gone, fine].map(async ({ job }) => (await shownJob(job.id)).failure_reason),
  )
  expect(reasons).toEqual([
    'stuck_or_timeout_failure',
    'runner_system_failure',
    'job_execution_timeout',
    'runner_system_failure',
    undefined,
  ])
  const late = await silent.job.trace('x')
  expect([late.status, late.headers.get('job-status')]).toEqual([403, 'failed'])
})

test('a job that cannot be given ends, and stands before no other', async () => {
  const { id: poisoned } = await p.create()
  const person = (await p.job(poisoned, 'job')).id
  await w.db.updateTable('ci_jobs').set({ user_id: null }).where('id', '=', person).execute()
  const { id: fine } = await p.create()
  const one = await runner({ project: p.id })
  const taken = await one.take()
  expect(taken.json['job_info'].pipeline_id).toBe(fine)
  expect(await p.job(poisoned, 'job')).toMatchObject({ status: 'failed', failure_reason: 'user_blocked' })
})

test('a runner keeps no more managers than it should, and may say anything of itself', async () => {
  const one = await runner({ project: p.id })
  const heard = w.clock.now().toISOString()
  await w.db
    .insertInto('ci_runner_managers')
    .values(
      Array.from({ length: MOST_MANAGERS }, (_, n) => ({
        runner_id: one.id,
        system_id: `s_${n}`,
        contacted_at: n === 7 ? new Date(Date.parse(heard) - 60_000).toISOString() : heard,
        created_at: heard,
      })),
    )
    .execute()
  expect((await one.ask({ system_id: 's_new' })).status).toBe(204)
  const names = await w.db
    .selectFrom('ci_runner_managers')
    .select('system_id')
    .where('runner_id', '=', one.id)
    .where('system_id', 'in', ['s_6', 's_7', 's_new'])
    .orderBy('id')
    .execute()
  expect(names.map(({ system_id }) => system_id)).toEqual(['s_6', 's_new'])
  await w.db.deleteFrom('ci_runner_managers').where('runner_id', '=', one.id).execute()
  const info = { version: 'v'.repeat(2_000), features: { a: 'b', c: true, 'd e': true }, more: [{}] }
  expect((await one.ask({ info, system_id: 's1' })).status).toBe(204)
  expect((await one.ask({ info: { features: 'x' } })).status).toBe(400)
  expect((await one.ask({ system_id: 'x'.repeat(65) })).status).toBe(400)
  const kept = await w.db
    .selectFrom('ci_runner_managers')
    .select(['system_id', 'features'])
    .where('runner_id', '=', one.id)
    .execute()
  expect(kept).toEqual([{ system_id: 's1', features: ['c'] }])
})
