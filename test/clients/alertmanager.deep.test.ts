import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { monitored } from '#monitoring/alert-receiver/test-support.ts'
import { alertmanager, alertmanagerInstalled, prometheus } from '#test/alertmanager.ts'
import { freePort } from '#test/redis.ts'

const alert = (name: string, more: object = {}) => ({
  labels: { alertname: name, job: 'direct', severity: 's2' },
  annotations: { summary: `${name} happened` },
  startsAt: new Date(Date.now() - 60_000).toISOString(),
  endsAt: new Date(Date.now() + 600_000).toISOString(),
  generatorURL: 'http://prometheus/graph?g0.expr=up',
  ...more,
})

test.runIf(alertmanagerInstalled)(
  "Debian's Alertmanager reports alerts: firing, grouped, again, resolved, and not while they are silenced",
  { timeout: 180_000 },
  async () => {
    const m = await monitored({ type: 'prometheus' })
    const manager = await alertmanager(m)
    const titled = async (title: string) => (await m.alerts()).filter((one) => one.title === title)
    await manager.post('alerts', [alert('First'), alert('Second')])
    await expect.poll(async () => (await m.alerts()).length).toBe(2)
    expect(await m.alerts()).toMatchObject([
      { severity: 'high', status: 'triggered', monitoring_tool: 'Prometheus', metrics_query: 'up' },
      { severity: 'high', status: 'triggered' },
    ])
    // It sends the group again, which is counted.
    await expect.poll(async () => (await titled('First happened'))[0].event_count).toBeGreaterThan(1)
    await manager.post('silences', {
      matchers: [{ name: 'alertname', value: 'Silenced', isRegex: false, isEqual: true }],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + 600_000).toISOString(),
      createdBy: 'test',
      comment: 'test',
    })
    await manager.post('alerts', [alert('Silenced')])
    await manager.post('alerts', [
      alert('First', { endsAt: new Date(Date.now() - 1_000).toISOString() }),
      alert('Third'),
    ])
    await expect.poll(async () => (await titled('First happened'))[0].status).toBe('resolved')
    await expect.poll(async () => (await titled('Third happened')).length).toBe(1)
    expect(await titled('Silenced happened')).toEqual([])
    expect((await titled('Second happened'))[0].status).toBe('triggered')
    await manager.post('alerts', [alert('First')])
    await expect
      .poll(async () => (await titled('First happened')).map(({ status }) => status))
      .toEqual(['resolved', 'triggered'])
  },
)

test.runIf(alertmanagerInstalled)(
  "Debian's Prometheus reports by its Alertmanager what is down, and that it is up again",
  { timeout: 180_000 },
  async () => {
    const m = await monitored()
    const port = await freePort()
    await prometheus(await alertmanager(m), port)
    await expect
      .poll(async () => m.alerts())
      .toMatchObject([
        {
          title: 'The shop is down',
          severity: 'high',
          status: 'triggered',
          metrics_query: 'up{job="shop"} == 0',
        },
      ])
    const shop = createServer((_, response) => response.setHeader('content-type', 'text/plain').end('a 1\n'))
    shop.listen(port, '127.0.0.1')
    await once(shop, 'listening')
    onTestFinished(() => {
      shop.closeAllConnections()
      shop.close()
    })
    await expect.poll(async () => (await m.alerts())[0].status).toBe('resolved')
    expect((await m.alerts()).length).toBe(1)
  },
)
