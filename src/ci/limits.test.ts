import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { projectWithCi } from './test-support.ts'

const schedule = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }

async function place() {
  const p = await projectWithCi('job: { script: x }')
  return { ...p, path: `${p.base}/pipeline_schedules` }
}
type Place = Awaited<ReturnType<typeof place>>

const makes = {
  ci_pipeline_schedules: ({ maintainer, path }: Place) => maintainer.post(path, schedule),
  pipeline_triggers: ({ maintainer, base }: Place) =>
    maintainer.post(`${base}/triggers`, { description: 'Bot' }),
  project_ci_secure_files({ maintainer, base }: Place) {
    const form = new FormData()
    form.append('name', `key-${crypto.randomUUID()}`)
    form.append('file', new Blob(['key']), 'key')
    return maintainer.send('POST', `${base}/secure_files`, { form })
  },
}

async function withSettings(settings: Record<string, number>, act: () => Promise<void>): Promise<void> {
  const before = (await w.root.get('/application/settings')).body
  expect((await w.root.put('/application/settings', settings)).status).toBe(200)
  try {
    await act()
  } finally {
    const restored = Object.fromEntries(Object.keys(settings).map((name) => [name, before[name]]))
    await w.root.put('/application/settings', restored)
  }
}

describe('what a project has at most is a setting', () => {
  test.each([
    ['ci_pipeline_schedules', 10, 'pipeline schedules'],
    ['pipeline_triggers', 25_000, 'pipeline triggers'],
    ['project_ci_secure_files', 100, 'secure files'],
  ] as const)(
    '%s is %i unless set, holds for requests at once, and 0 means no limit',
    async (name, standard, what) => {
      expect((await w.root.get('/application/settings')).body[name]).toBe(standard)
      const p = await place()
      await withSettings({ [name]: 1 }, async () => {
        const made = await Promise.all([1, 2, 3].map(() => makes[name](p)))
        expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
        expect(made.find(({ status }) => status === 400)?.body.message).toEqual({
          base: [`Maximum number of ${what} (1) exceeded`],
        })
        expect((await makes[name](await place())).status).toBe(201)
      })
      await withSettings({ [name]: 0 }, async () => {
        expect((await makes[name](p)).status).toBe(201)
      })
    },
  )

  test('so is what a schedule has', async () => {
    const p = await place()
    const { body } = await p.developer.post(p.path, schedule)
    const add = (key: string) => p.developer.post(`${p.path}/${body.id}/variables`, { key, value: 'x' })
    await withSettings({ ci_pipeline_schedule_variables: 1 }, async () => {
      expect((await add('ONE')).status).toBe(201)
      const { status, body: refusal } = await add('TWO')
      expect([status, refusal.message]).toEqual([400, { base: ['Maximum number of variables (1) exceeded'] }])
    })
    expect((await add('TWO')).status).toBe(201)
    for (const ci_pipeline_schedule_variables of [0, 1001])
      expect((await w.root.put('/application/settings', { ci_pipeline_schedule_variables })).status).toBe(400)
  })
})
