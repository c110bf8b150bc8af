import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from './redis.ts'
import { until } from './until.ts'

const isThere = (program: string) => spawnSync('which', [program]).status === 0

/** Prometheus and its Alertmanager, as Debian has them. */
export const alertmanagerInstalled = isThere('prometheus') && isThere('prometheus-alertmanager')
if (!alertmanagerInstalled)
  console.warn('SKIPPED: prometheus or prometheus-alertmanager is not installed, so neither sends alerts')

async function run(program: string, args: readonly string[], ready: string): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    if (child.kill('SIGKILL')) await ended
  })
  await until(async () => {
    const { ok } = await fetch(ready)
    if (!ok) throw new Error(`${program} is not ready`)
  })
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forgelet-prometheus-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return path
}

/** An Alertmanager that sends to an integration, with the configuration of the guide but for the times. */
export async function alertmanager({ url, key }: { readonly url: string; readonly key: string }) {
  const path = folder()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  writeFileSync(
    join(path, 'alertmanager.yml'),
    `
route:
  receiver: forgelet
  group_by: [job]
  group_wait: 100ms
  group_interval: 500ms
  repeat_interval: 1s
receivers:
  - name: forgelet
    webhook_configs:
      - url: ${url}
        send_resolved: true
        http_config:
          authorization:
            credentials: ${key}
`,
  )
  await run(
    'prometheus-alertmanager',
    [
      `--config.file=${join(path, 'alertmanager.yml')}`,
      `--storage.path=${path}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    `${base}/-/ready`,
  )
  const post = async (at: string, body: unknown) => {
    const answer = await fetch(`${base}/api/v2/${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  return { address: `127.0.0.1:${port}`, post }
}

/** A Prometheus that watches one address, and sends an alert while nothing answers there. */
export async function prometheus(manager: { readonly address: string }, watched: number): Promise<void> {
  const path = folder()
  const port = await freePort()
  writeFileSync(
    join(path, 'rules.yml'),
    `
groups:
  - name: up
    rules:
      - alert: Down
        expr: up{job="shop"} == 0
        labels:
          severity: page
        annotations:
          summary: The shop is down
`,
  )
  writeFileSync(
    join(path, 'prometheus.yml'),
    `
global:
  scrape_interval: 300ms
  scrape_timeout: 300ms
  evaluation_interval: 300ms
rule_files: [rules.yml]
alerting:
  alertmanagers:
    - static_configs:
        - targets: ['${manager.address}']
scrape_configs:
  - job_name: shop
    static_configs:
      - targets: ['127.0.0.1:${watched}']
`,
  )
  await run(
    'prometheus',
    [
      `--config.file=${join(path, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(path, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--rules.alert.resend-delay=300ms',
    ],
    `http://127.0.0.1:${port}/-/ready`,
  )
}
