import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { w } from '#test/mail-world.ts'
import { tree } from '#test/tree.ts'
import { folder as temporary } from './forgelet.ts'

const folder = join(tree, 'docs/monitoring')
const rules = join(folder, 'alerts.yml')

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
}
const dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as Dashboard
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

/** The metrics that a text names, without what Prometheus adds to histograms. */
const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/\b(?:forgelet|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
      name.replace(/_(?:bucket|sum|count)$/, ''),
    ),
  )

const promtool = (...args: string[]) => promisify(execFile)('promtool', args)
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) console.log("skipped: promtool (Debian's prometheus) is not installed")

describe('docs/monitoring', () => {
  test('every metric of the alert rules and the dashboard is exported, with its labels', async () => {
    const page = await (await fetch(`${w.url}/-/metrics`)).text()
    const exported = new Set([...page.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
    const named = [...namesIn(readFileSync(rules, 'utf8')), ...namesIn(JSON.stringify(dashboard))]
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !exported.has(name))).toEqual([])
  })

  test('the dashboard shows every metric of the server itself', async () => {
    const page = await (await fetch(`${w.url}/-/metrics`)).text()
    const own = [...page.matchAll(/^# TYPE (forgelet_\S+) /gm)].map(([, name = '']) => name)
    const shown = namesIn(queries.join(' '))
    // Of features that few instances use.
    const special = /virtual_registry|error_tracking|storage_move_bytes/
    expect(own.filter((name) => !shown.has(name) && !special.test(name))).toEqual([])
  })

  test.skipIf(!hasPromtool)('promtool accepts the rules, and the queries of the dashboard', async () => {
    expect((await promtool('check', 'rules', rules)).stdout).toMatch(/SUCCESS: \d+ rules found/)
    // As rules, with numbers for what Grafana fills in.
    const filled = queries.map((query) => query.replaceAll('$__rate_interval', '5m').replaceAll('$', ''))
    const records = filled.map((expr, index) => ({ record: `q${index}`, expr }))
    const file = join(temporary(), 'queries.json')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: records }] }))
    expect((await promtool('check', 'rules', file)).stdout).toContain(`${queries.length} rules found`)
  })

  test('every alert says what to do', () => {
    const text = readFileSync(rules, 'utf8')
    const count = (pattern: RegExp) => text.match(pattern)?.length
    const alerts = count(/- alert:/g)
    expect(alerts).toBeGreaterThan(5)
    for (const part of [/summary:/g, /description:/g, /severity:/g]) expect(count(part)).toBe(alerts)
  })
})
