import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

/** Milliseconds of the server's thread that one answer takes, over many. */
async function cost(visitor: Visitor, path: string): Promise<number> {
  const ask = async () => expect((await visitor.get(path)).status).toBe(200)
  for (let n = 0; n < 200; n += 1) await ask()
  const spent = await cpuTime(async () => {
    for (let n = 0; n < 300; n += 1) await ask()
  })
  return spent / 300
}

test('asking the API inside the process costs little', async () => {
  const project = await w.project({ visibility: 'public' })
  await project.owner.post(`/projects/${project.id}/issues`, { title: 'One' })
  const browser = new Visitor(w.url, { headers: { accept: 'text/html' } })
  const api = new Visitor(w.url)
  const page = await cost(browser, `/${project.fullPath}/-/issues`)
  const parts = [
    await cost(api, `/api/v4/projects/${project.id}`),
    await cost(api, `/api/v4/projects/${project.id}/issues?with_labels_details=true`),
  ]
  // What the page adds to what it asks for: a budget of 4 ms.
  expect(page - Math.max(...parts)).toBeLessThan(8)
  console.info(
    `page ${page.toFixed(2)} ms, its parts over HTTP ${parts.map((one) => one.toFixed(2)).join(' + ')} ms`,
  )
})
