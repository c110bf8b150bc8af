import { expect, test } from 'vitest'
import { projectWithCi } from '#ci/test-support.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const NUMBERS = ['0', '-1', '1.5', '2147483648', '9007199254740993', '9'.repeat(40), 'x', '%00', '%FF', "'"]
const TEXTS = [
  '%00',
  '%FF',
  '%',
  '"><script>alert(1)</script>',
  '%E2%80%AE',
  '\\',
  'a'.repeat(3_000),
  '.',
  '%2e%2e',
]

test('whatever an address says, no page of what is built and delivered fails', async () => {
  const p = await projectWithCi('build: { script: x }', { visibility: 'public' })
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'build')
  const { visitor, ...me } = await signedIn(w)
  await w.member(p.namespaceId, me, 30)
  const place = `/${p.fullPath}/-`
  const [group] = p.fullPath.split('/')
  const ofGroup = `/groups/${group}/-`
  const numbered = [
    'pipelines/',
    'jobs/',
    'environments/',
    'packages/',
    'container_registry/',
    'issues/incident/',
    'pipelines?page=',
    'jobs?page=',
    'releases?page=',
    `jobs/${job}?before=`,
    `jobs/${job}?after=`,
  ].map((path) => `${place}/${path}`)
  const lists = {
    pipelines: ['status', 'ref', 'source'],
    jobs: ['scope'],
    pipeline_schedules: ['scope'],
    environments: ['states'],
    alert_management: ['status', 'severity', 'search'],
    incidents: ['state'],
    error_tracking: ['status', 'query'],
    packages: ['type', 'name'],
  }
  const worded = [
    `${place}/releases/`,
    ...Object.entries(lists).flatMap(([path, names]) => names.map((name) => `${place}/${path}?${name}=`)),
    `${ofGroup}/packages?type=`,
    `${ofGroup}/packages?name=`,
  ]
  const addresses = [
    ...numbered.flatMap((path) => NUMBERS.map((odd) => path + odd)),
    ...['alert_management', 'error_tracking'].flatMap((path) =>
      NUMBERS.map((odd) => `${place}/${path}/${odd}/details`),
    ),
    ...worded.flatMap((path) => TEXTS.map((odd) => path + encodeURI(odd).replaceAll('%25', '%'))),
  ]
  for (const address of addresses) {
    const { status, text } = await visitor.get(address, { accept: 'text/html' })
    expect([address, status < 500, text.includes('<script>')]).toEqual([address, true, false])
  }
})
