import type { Answer, Client } from '#test/client.ts'
import { w } from '#test/world.ts'

type Project = Awaited<ReturnType<typeof w.project>>

/** A project with an integration. */
export interface Monitored extends Project {
  readonly url: string
  readonly key: string
  readonly integration: number
  /** Sends a payload as a monitoring tool does. */
  send(payload: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** The alerts, oldest first. */
  // oxlint-disable-next-line typescript/no-explicit-any
  alerts(): Promise<any[]>
  /** An alert with its payload. */
  // oxlint-disable-next-line typescript/no-explicit-any
  alert(iid: number): Promise<any>
}

/** Sends a payload to a URL outside the API. */
export const sendTo = (url: string, payload: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const isText = typeof payload === 'string'
  const sent = isText ? { form: payload } : { json: payload }
  const client: Client = w.anonymous
  return client.send('POST', url, { ...sent, headers: { 'content-type': 'application/json', ...headers } })
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** @param given what the integration is made with. */
export async function monitored(given: object = {}, project?: Project): Promise<Monitored> {
  const p = project ?? (await w.project())
  const { status, body } = await p.maintainer.post(`/projects/${p.id}/alert_management/integrations`, {
    name: 'Tool',
    ...given,
  })
  if (status !== 201) throw new Error(`No integration: ${status} ${JSON.stringify(body)}`)
  const base = `/projects/${p.id}/alert_management_alerts`
  return {
    ...p,
    url: body.url,
    key: body.authorization_key,
    integration: body.id,
    send: (payload, headers = bearer(body.authorization_key)) => sendTo(body.url, payload, headers),
    alerts: async () => (await p.developer.get(`${base}?sort=asc&per_page=100`)).body,
    alert: async (iid) => (await p.developer.get(`${base}/${iid}`)).body,
  }
}

/** A payload of the metrics format, with what every one has. */
export const metrics = (...alerts: readonly unknown[]) => ({
  version: '4',
  groupKey: '{}:{}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'forgelet',
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  alerts,
})

/** An element of it. */
export const element = (more: object = {}) => ({
  status: 'firing',
  labels: { alertname: 'HighLoad', instance: 'a:9100' },
  annotations: {},
  startsAt: '2026-01-31T09:00:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  ...more,
})
