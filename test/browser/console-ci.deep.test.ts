import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runner, type TestRunner } from '#ci/job-requests/test-support.ts'
import { projectWithCi } from '#ci/test-support.ts'
import { monitored } from '#monitoring/alert-receiver/test-support.ts'
import { failure, tracked } from '#monitoring/error-tracking/test-support.ts'
import { Registry } from '#registries/container-registry/test-support.ts'
import { publishMaven } from '#registries/package-formats/maven/test-support.ts'
import { publishNpm } from '#registries/package-formats/npm/test-support.ts'
import { publishPython } from '#registries/package-formats/pypi/test-support.ts'
import { genericPackage } from '#registries/packages/test-support.ts'
import { picture } from '#test/alerts.ts'
import { until } from '#test/until.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

const longName = 'a-name-as-long-as-people-make-them-'.repeat(4)
const hostile = '<img src=x onerror=alert(1)>'

const CONFIG = `
stages: [build, test, package, deploy, a stage with a very long name that goes on and on]
compile: { stage: build, script: make, tags: [fast, linux] }
lint: { stage: build, script: make lint, allow_failure: true }
"unit 1/3": { stage: test, script: make test }
"unit 2/3": { stage: test, script: make test, needs: [compile, lint] }
"${hostile}": { stage: test, script: x }
"${longName}": { stage: package, script: x }
images: { stage: package, trigger: { include: below.yml } }
production: { stage: deploy, script: x, when: manual, needs: [] }
last: { stage: a stage with a very long name that goes on and on, script: x, needs: ["${longName}"] }
`
const BELOW = 'inner: { script: x }'
const JUNIT = `<testsuites><testsuite name="s">
<testcase classname="pay" name="adds up" time="0.5"/>
<testcase classname="pay" name="fails ${'with a long name '.repeat(12)}" time="1.5" file="src/pay.js"><failure>expected 1, got 2</failure></testcase>
<testcase classname="pay" name="is skipped" time="0"><skipped/></testcase></testsuite></testsuites>`

const LOG = [
  'section_start:100:prepare[collapsed=true]\r\x1b[0K\x1b[36;1mPreparing environment\x1b[0;m',
  'Running on runner-1…',
  'section_end:104:prepare\r\x1b[0K',
  'section_start:104:step\r\x1b[0K\x1b[36;1mExecuting "step_script" stage of the job script\x1b[0;m',
  '\x1b[32;1m$ make test\x1b[0;m',
  ...Array.from(
    { length: 16 },
    (_, n) => `\x1b[${n < 8 ? 30 + n : 82 + n}mcolor ${n}\x1b[0m \x1b[1mbold\x1b[0m`,
  ),
  ...Array.from({ length: 8 }, (_, n) => `\x1b[${40 + n}mback ${n}\x1b[0m`),
  `a long line ${'word '.repeat(80)}`,
  'x'.repeat(400),
  hostile,
  'العربية',
  'section_end:170:step\r\x1b[0K\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m',
  '',
].join('\n')

const CONFIG_OF_JOBS = 'build: { script: x, artifacts: { paths: [a] } }'

interface ListedPackage {
  readonly package_type: string
  readonly _links: { readonly web_path: string }
}

describe.skipIf(!hasChromium())('pages of what is built and where it goes', { timeout: 300_000 }, () => {
  let browser: Browser
  let page: Page
  let user: Awaited<ReturnType<typeof person>>
  const places: Record<string, string> = {}

  beforeAll(async () => {
    browser = await startChromium()
    page = await browser.newPage()
    user = await person(w, { username: unique('ada'), name: 'Ada' })
    const group = await w.group({ visibility: 'public' })
    await w.member(group.id, user, 30)
    await makePipelines(group.id)
    await makeJobs(group.id)
    await makeRest(group.id)
    await makeReports()
    places['group'] = `/groups/${group.fullPath}/-`
    await signIn(page)
  }, 300_000)
  afterAll(() => browser.close())

  async function signIn(where: Page) {
    await where.goto(`${w.url}/users/sign_in`)
    await where.getByLabel('Username or e-mail address').fill(user.username)
    await where.getByLabel('Password').fill(user.password)
    await where.getByRole('button', { name: 'Sign in' }).click()
    await where.getByRole('heading', { name: 'Your projects' }).waitFor()
  }

  async function makePipelines(parent: number) {
    const p = await projectWithCi(CONFIG, { visibility: 'public', parent, files: { 'below.yml': BELOW } })
    const place = `/${p.fullPath}/-`
    const { id } = await p.create()
    await p.finish(id, 'compile')
    await p.finish(id, 'lint', { status: 'failed', failureReason: 'script_failure' })
    await p.finish(id, 'unit 1/3', { status: 'failed', failureReason: 'script_failure' })
    const { id: unit } = await p.job(id, 'unit 1/3')
    await p.developer.post(`${p.base}/jobs/${unit}/retry`)
    const artifacts = { 'coverage/index.html': '', [`${longName}.txt`]: hostile, [hostile]: '' }
    const unit2 = await p.run(id, 'unit 2/3', { status: 'failed', artifacts, reports: { junit: JUNIT } })
    for (const name of ['unit 1/3', hostile]) await p.finish(id, name)
    await p.create()
    const schedule = { description: `Nightly ${longName}`, ref: 'main', cron: '0 1 * * *' }
    await p.developer.post(`${p.base}/pipeline_schedules`, schedule)
    const wrong = {
      action: 'update',
      file_path: '.gitlab-ci.yml',
      content: 'build: { stage: none, script: x }',
    }
    const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Break it', actions: [wrong] }
    await p.developer.post(`${p.base}/repository/commits`, commit)
    const body = await until(async () => {
      const { body: found } = await p.developer.get(`${p.base}/pipelines?ref=topic`)
      expect(found).toHaveLength(1)
      return found
    })
    Object.assign(places, {
      ci: place,
      pipeline: `${place}/pipelines/${id}`,
      wrong: `${place}/pipelines/${body[0].id}`,
      retried: `${place}/jobs/${unit}`,
      artifacts: `${place}/jobs/${unit2}/artifacts/browse`,
    })
  }

  async function takenJob(parent: number) {
    const p = await projectWithCi(CONFIG_OF_JOBS, { visibility: 'public', parent })
    await p.create()
    const job: Awaited<ReturnType<TestRunner['take']>> = await (await runner({ project: p.id })).take()
    return { job, path: `/${p.fullPath}/-/jobs/${job.id}` }
  }

  async function makeJobs(parent: number) {
    const failed = await takenJob(parent)
    await failed.job.upload('zip', { artifact_type: 'archive', artifact_format: 'zip' })
    await failed.job.trace(LOG)
    await failed.job.update('failed', { failure_reason: 'script_failure' })
    const long = await takenJob(parent)
    const lines = Array.from({ length: 12_000 }, (_, n) => `${n} ${'compiling '.repeat(5)}\n`)
    for (let at = 0; at < lines.length; at += 3_000)
      await long.job.trace(lines.slice(at, at + 3_000).join(''))
    await long.job.update('success')
    Object.assign(places, { failed: failed.path, long: long.path })
  }

  async function makeRest(parent: number) {
    const p = await projectWithCi(CONFIG_OF_JOBS, { visibility: 'public', parent })
    const at = `/projects/${p.id}`
    const place = `/${p.fullPath}/-`
    const { body: commit } = await p.developer.get(`${at}/repository/commits/main`)
    for (const name of ['production', `review/${longName}`]) {
      const external_url = `https://${name.slice(0, 20).replace('/', '-')}.example.com/`
      await p.maintainer.post(`${at}/environments`, {
        name,
        external_url,
        description: 'Where *people* are.',
      })
      for (const status of ['success', 'failed', 'running'])
        await p.maintainer.post(`${at}/deployments`, {
          environment: name,
          sha: commit.id,
          ref: 'main',
          tag: false,
          status,
        })
    }
    const { body: environments } = await p.developer.get(`${at}/environments`)
    await p.maintainer.post(`${at}/milestones`, { title: 'Soon' })
    for (const [tag_name, name] of [
      ['v1.0', 'First'],
      ['cli/v2', longName],
    ])
      await p.maintainer.post(`${at}/releases`, {
        tag_name,
        name,
        ref: 'main',
        milestones: ['Soon'],
        description: `## New\n\n- It *works*\n- <b onclick=alert(1)>${longName}</b>\n\n| A | B |\n| - | - |\n| 1 | 2 |\n`,
        assets: {
          links: [{ name: `Tool ${longName}`, url: 'https://example.com/tool', link_type: 'package' }],
        },
      })
    const generic = await genericPackage(p.developer, p, { file: `${longName}.txt` })
    await publishNpm(p.developer, p, { name: '@tools/greet', version: '1.0.0' })
    await publishNpm(p.developer, p, { name: '@tools/greet', version: '2.0.0-beta.1', tag: 'next' })
    await publishPython(p.developer, p)
    await publishMaven(p.developer, p)
    const { body: packages } = await p.developer.get(`${at}/packages?per_page=50`)
    const addresses = new Map(
      packages.map(({ package_type: type, _links: { web_path } }: ListedPackage) => [type, web_path]),
    )
    const packageOf = (type: string) => String(addresses.get(type))
    const images = new Registry(p.developer.token)
    for (const tag of ['v1', 'latest']) await images.image(`${p.fullPath.toLowerCase()}/web`, tag)
    const { body: repositories } = await p.developer.get(`${at}/registry/repositories`)
    Object.assign(places, {
      rest: place,
      environment: `${place}/environments/${environments[0].id}`,
      generic: `${place}/packages/${generic}`,
      npm: packageOf('npm'),
      pypi: packageOf('pypi'),
      maven: packageOf('maven'),
      image: `${place}/container_registry/${repositories[0].id}`,
      empty: `/${(await w.project({ visibility: 'public', parent })).fullPath}/-`,
    })
  }

  async function makeReports() {
    const p = await monitored()
    await p.send({
      title: 'Disk is full',
      severity: 'critical',
      hosts: ['db-1'],
      runbook: 'https://example.com/',
    })
    await p.send({ title: `${hostile} ${longName}`, severity: 'low', description: longName })
    const [first] = await p.alerts()
    await p.developer.post(`/projects/${p.id}/alert_management_alerts/${first.iid}/notes`, { body: 'On it' })
    for (const url_text of ['Load', longName.slice(0, 128)])
      await p.developer.send('POST', `/projects/${p.id}/alert_management_alerts/${first.iid}/metric_images`, {
        form: picture({ url: 'https://example.com/', url_text }),
      })
    await p.developer.post(`/projects/${p.id}/issues`, { title: 'It is down', issue_type: 'incident' })
    const errors = await tracked(w)
    await errors.report(failure(hostile, { release: 'app@1.0', extra: { longName } }))
    const [error] = await until(async () => {
      const found = await errors.errors()
      expect(found).toHaveLength(1)
      return found
    })
    for (const { namespaceId } of [p, errors]) await w.member(namespaceId, user, 30)
    Object.assign(places, {
      alerts: `/${p.fullPath}/-`,
      alert: new URL(first.web_url).pathname,
      errors: `/${errors.fullPath}/-`,
      error: `/${errors.fullPath}/-/error_tracking/${error.id}/details`,
    })
  }

  test.each([
    ['pipelines', 'ci', '/pipelines', 'merge request event'],
    ['pipelines-none', 'empty', '/pipelines', 'No pipeline ran yet.'],
    ['pipeline', 'pipeline', '', 'may fail'],
    ['pipeline-wrong', 'wrong', '', 'The configuration is wrong'],
    ['pipeline-tests', 'pipeline', '/test_report', 'expected 1, got 2'],
    ['jobs', 'ci', '/jobs', hostile],
    ['jobs-none', 'empty', '/jobs', 'No job ran yet.'],
    ['job-failed', 'failed', '', 'A command of the script failed.'],
    ['job-retried', 'retried', '', 'was run again'],
    ['artifacts', 'artifacts', '', longName],
    ['schedules', 'ci', '/pipeline_schedules', 'Nightly'],
    ['environments', 'rest', '/environments', 'production'],
    ['environments-none', 'empty', '/environments', 'There is no environment.'],
    ['environment', 'environment', '', 'Deployments'],
    ['alerts', 'alerts', '/alert_management', hostile],
    ['alerts-none', 'empty', '/alert_management', 'No alert waits'],
    ['alert', 'alert', '', 'On it'],
    ['incidents', 'alerts', '/incidents', 'It is down'],
    ['errors', 'errors', '/error_tracking', hostile],
    ['error', 'error', '', 'Latest event'],
    ['releases-full', 'rest', '/releases', 'Source code (zip)'],
    ['release', 'rest', '/releases/cli%2Fv2', 'Assets'],
    ['releases-none', 'empty', '/releases', 'Nothing was released yet.'],
    ['packages', 'rest', '/packages', '@tools/greet'],
    ['packages-none', 'empty', '/packages', 'No package was published yet.'],
    ['package-npm', 'npm', '', 'npm install'],
    ['package-pypi', 'pypi', '', 'pip install'],
    ['package-maven', 'maven', '', '<artifactId>'],
    ['package-generic', 'generic', '', 'curl'],
    ['images', 'rest', '/container_registry', '2 tags'],
    ['images-none', 'empty', '/container_registry', 'No image was pushed yet'],
    ['image', 'image', '', 'docker pull'],
    ['group-packages', 'group', '/packages', '@tools/greet'],
    ['group-images', 'group', '/container_registries', 'web'],
    ['group-releases', 'group', '/releases', 'First'],
  ])('%s', async (name, place, path, words) => {
    const at = `${places[place]}${path}`
    const answer = await page.goto(`${w.url}${at}`)
    expect([at, answer?.status()]).toEqual([at, 200])
    if (name !== 'pipelines') expect(await page.textContent('main')).toContain(words)
    await expectAccessible(page, `console-${name}`)
  })

  test('the log of a job grows while one looks at it, and the page tells how the job ended', async () => {
    const group = await w.group({ visibility: 'public' })
    const { job, path } = await takenJob(group.id)
    await job.trace('first line\nhalf of a')
    const context = await browser.newContext()
    const complaints: string[] = []
    onTestFinished(() => context.close())
    const looking = await context.newPage()
    looking.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    looking.on('pageerror', (error) => complaints.push(error.message))
    await looking.goto(`${w.url}${path}`)
    await looking.getByText('first line').waitFor()
    await looking.getByText('half of a').waitFor()
    await job.trace(` line\n\x1b[31mred ${hostile}\x1b[0m\nthe last é`)
    await looking.getByText('half of a line').waitFor()
    await expect.poll(() => looking.locator('live-log .f1').textContent()).toBe(`red ${hostile}`)
    await looking.getByText('the last é').waitFor()
    await expectAccessible(looking, 'console-job-live')
    await job.update('success')
    await looking.getByText('Passed').waitFor()
    await looking.waitForLoadState()
    expect(await looking.locator('live-log').count()).toBe(0)
    expect(await looking.locator('.log').textContent()).toContain('the last é')
    expect(complaints).toEqual([])
  })

  test('a long log is read part by part', async () => {
    await page.goto(`${w.url}${places['long']}`)
    expect(await page.textContent('.log')).toContain('11999 compiling')
    await page.getByRole('link', { name: 'Earlier lines' }).first().click()
    await page.waitForURL(/before=/)
    expect(await page.textContent('.log')).toContain('1 compiling')
    expect(await page.textContent('.log')).not.toContain('11999 compiling')
    await page.getByRole('link', { name: 'Later lines' }).first().click()
    await page.waitForURL(/after=/)
    expect(await page.textContent('.log')).toContain('11999 compiling')
  })

  test('without a script, the page of a job that runs says how to see more', async () => {
    const group = await w.group({ visibility: 'public' })
    const { job, path } = await takenJob(group.id)
    await job.trace('first line\n')
    const context = await browser.newContext({ javaScriptEnabled: false })
    onTestFinished(() => context.close())
    const looking = await context.newPage()
    await looking.goto(`${w.url}${path}`)
    await job.trace('second line\n')
    await looking.getByRole('link', { name: 'load the page again' }).click()
    await looking.getByText('second line').waitFor()
    expect(await looking.locator('script[src$="live-log.js"]').count()).toBe(1)
  })
})
