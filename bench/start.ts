import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { memoryOf, startChild, temporaryFolder } from './children.ts'
import { atMost, type Measure, median, reported } from './measures.ts'

/** How long starts take, and what an instance with nothing to do occupies. */
export async function measureStart(): Promise<Measure[]> {
  // As `npm ci` leaves it.
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.js', import.meta.url)), '--warm'])
  await using folder = await temporaryFolder()
  const start = () =>
    startChild<{ url: string }>('boot.js', [], {
      FORGELET_DATA: `${folder.path}/data`,
      FORGELET_PORT: '0',
    })
  const time = async () => {
    await using child = await start()
    // The code is written when the process has nothing to do.
    await pause(500)
    return child.ms
  }
  const first = await time()
  const later = median([await time(), await time(), await time()])
  const { ms, idle } = await firstRequest(start)
  return [
    atMost('first start, initdb and migrations included', first, 1_800, `${first.toFixed(0)} ms`),
    atMost('later start', later, 600, `${later.toFixed(0)} ms`),
    reported('first request after a start', `${ms.toFixed(0)} ms`),
    atMost('memory after the first requests, Node and PostgreSQL (PSS)', idle, 170, `${idle.toFixed(0)} MB`),
  ]
}

async function firstRequest(start: () => ReturnType<typeof startChild<{ url: string }>>) {
  await using child = await start()
  const { url } = child.said
  const begun = performance.now()
  await (await fetch(`${url}/api/v4/version`)).text()
  const ms = performance.now() - begun
  for (const path of ['projects', 'groups', 'topics', 'users?username=root', 'version'])
    await (await fetch(`${url}/api/v4/${path}`)).text()
  await pause(1_000)
  return { ms, idle: await memoryOf(child.pid) }
}
