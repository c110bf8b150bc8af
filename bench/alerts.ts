import { join } from 'node:path'
import autocannon from 'autocannon'
import { cpuOf, startChild, temporaryFolder } from './children.ts'
import { atLeast, atMost, type Effort, type Measure, reported } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-alerts'
const CONNECTIONS = 64

/** Reports to one integration: new alerts, and reports of known ones. The sender is another process, and shares the cores. */
export async function measureAlerts({ seconds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using forgelet = await startChild<{ url: string }>('registry-server.ts', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const { url } = forgelet.said
  const ask = async (method: string, at: string, body?: object) => {
    const answer = await fetch(`${url}/api/v4${at}`, {
      method,
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${at}: ${await answer.text()}`)
    return { body: JSON.parse(await answer.text()), total: Number(answer.headers.get('x-total')) }
  }
  const { body: project } = await ask('POST', '/projects', { name: 'bench' })
  const base = `/projects/${project.id}`
  const { body: integration } = await ask('POST', `${base}/alert_management/integrations`, { name: 'bench' })
  let serial = 0
  const load = async (title: () => string) => {
    const before = await cpuOf(forgelet.pid)
    const sender = process.cpuUsage()
    const found = await autocannon({
      url: integration.url,
      connections: CONNECTIONS,
      duration: Math.max(5, seconds),
      requests: [
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${integration.authorization_key}`,
            'content-type': 'application/json',
          },
          setupRequest: (request) => ({
            ...request,
            body: JSON.stringify({
              title: title(),
              description: 'The disk of a machine is nearly full',
              hosts: ['db-1.example.com'],
              severity: 'high',
              labels: { datacenter: 'a', team: 'storage' },
            }),
          }),
        },
      ],
    })
    if (found.non2xx > 0 || found.errors > 0) throw new Error(`${found.non2xx} alerts were refused`)
    const own = process.cpuUsage(sender)
    const each = (microseconds: number) => `${(microseconds / found['2xx'] / 1000).toFixed(2)} ms`
    return {
      found,
      cpu: { server: each((await cpuOf(forgelet.pid)) - before), sender: each(own.user + own.system) },
    }
  }
  const { found: fresh, cpu: ofFresh } = await load(() => `Alert ${(serial += 1)}`)
  const { found: known, cpu: ofKnown } = await load(() => `Known ${(serial += 1) % 100}`)
  const { body: counted } = await ask('GET', `${base}/alert_management_alerts?search=Known&per_page=100`)
  const events = counted.reduce((sum: number, one: { event_count: number }) => sum + one.event_count, 0)
  if (events < known['2xx']) throw new Error(`${known['2xx']} reports were accepted, and ${events} counted`)
  const rate = ({ requests }: { requests: { average: number } }) => Math.round(requests.average)
  return [
    atLeast('new alerts a second', rate(fresh), 800, String(rate(fresh))),
    reported('the same: P99 in milliseconds', String(fresh.latency.p99)),
    reported('CPU of a new alert: server and database / sender', `${ofFresh.server} / ${ofFresh.sender}`),
    atLeast('reports of known alerts a second', rate(known), 800, String(rate(known))),
    atMost('the same: P99 in milliseconds', known.latency.p99, 500),
    reported('CPU of such a report: server and database / sender', `${ofKnown.server} / ${ofKnown.sender}`),
  ]
}
