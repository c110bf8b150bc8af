import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runner } from '#ci/job-requests/test-support.ts'
import { bearer, sendTo } from '#monitoring/alert-receiver/test-support.ts'
import { Client } from '#test/client.ts'
import { GitClient } from '#test/git-client.ts'
import { PATIENCE } from '#test/patience.ts'
import { until } from '#test/until.ts'
import { person } from '#test/visitor.ts'
import { openWorld, unique, type World } from '#test/world.ts'
import { hasChromium, startChromium } from './chromium.ts'
import { follow, press, signInOn } from './signed-in.ts'

// The day of a team, without JavaScript: Ada keeps the project, Ben develops. Only git, the runner and the monitoring tool are programs.

const CONFIG = `
test: { script: make test }
deploy:
  script: make deploy
  environment: { name: production }
  rules: [{ if: $CI_COMMIT_BRANCH == "main" }]
`

describe.skipIf(!hasChromium())('a day of a team', { timeout: 180_000 }, () => {
  let browser: Browser
  let own: World
  let site = ''
  let ada: Page
  let ben: Page
  let benNamed: Awaited<ReturnType<typeof person>>
  let api: Client
  const group = unique('doors')
  const project = `${group}/front`
  const at = `/projects/${encodeURIComponent(project)}`

  beforeAll(async () => {
    browser = await startChromium()
    // Approvals of deployments need a plan.
    own = await openWorld(undefined, 'ultimate')
    site = own.url
    const adaNamed = await person(own, { username: unique('ada'), name: 'Ada' })
    benNamed = await person(own, { username: unique('ben'), name: 'Ben' })
    api = new Client(site, adaNamed.user.headers)
    ada = await signedInPage(adaNamed)
    ben = await signedInPage(benNamed)
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await own.running.stop()
  })

  async function signedInPage(who: typeof benNamed): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: false })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    await signInOn(page, who, own)
    return page
  }

  const open = (page: Page, path = '') => page.goto(`${site}/${project}${path}`)
  const said = (page: Page) => page.textContent('main')
  const unfold = (page: Page, name: string) => page.locator('summary', { hasText: name }).first().click()

  /** Waits on the page until it says something, as people do who load it again. */
  const saysSoon = async (page: Page, text: string): Promise<void> => {
    await expect
      .poll(
        async () => {
          await page.reload()
          return said(page)
        },
        { interval: 200 },
      )
      .toContain(text)
  }

  test('in the morning, Ada makes a group and a project, and lets Ben in', async () => {
    await ada.goto(`${site}/groups/new`)
    await ada.getByLabel('Name').fill(group)
    await ada.getByLabel('Path').fill(group)
    await press(ada, 'Create the group')
    await ada.goto(`${site}/projects/new`)
    await ada.getByLabel('Name').fill('Front')
    await ada.getByLabel('Path').fill('front')
    await ada.getByLabel('In', { exact: true }).selectOption({ label: group })
    await ada.getByLabel('Begin with a README').uncheck()
    await press(ada, 'Create the project')
    expect(ada.url()).toBe(`${site}/${project}`)
    await open(ada, '/-/project_members')
    await unfold(ada, 'Add a member')
    await ada.getByLabel('User name').fill(benNamed.username)
    await ada.getByLabel('Role').first().selectOption({ label: 'Maintainer' })
    await press(ada, 'Add')
    expect(await said(ada)).toContain('Ben is a member.')
    await open(ada, '/-/settings/ci_cd')
    await unfold(ada, 'Protect an environment')
    await ada.getByLabel('Environment', { exact: true }).fill('production')
    await ada.getByLabel('Approvals').fill('1')
    await press(ada, 'Protect')
  })

  test('she pushes the beginning, and opens an issue on a board', async () => {
    await using git = await GitClient.open()
    const secret = String(api.headers['private-token'])
    const clone = await git.init(`${site.replace('://', `://ada:${secret}@`)}/${project}.git`, 'front')
    await clone.commit({ 'README.md': '# Front door\n', '.gitlab-ci.yml': CONFIG }, 'Begin')
    await clone.run('push', '--quiet', 'origin', 'main')
    await open(ada, '/-/labels/new')
    await ada.getByLabel('Name').fill('Doing')
    await press(ada, 'Make the label')
    await open(ada, '/-/boards')
    await unfold(ada, 'New board')
    await ada.getByLabel('Name').first().fill('Work')
    await press(ada, 'Make the board')
    await ada.getByRole('link', { name: 'Change the board' }).click()
    await ada.getByLabel('A list for').selectOption({ label: 'Label: Doing' })
    await press(ada, 'Add the list')
    await open(ada, '/-/issues/new')
    await ada.getByLabel('Title').fill('The door squeaks')
    await ada.getByLabel('Doing', { exact: true }).check()
    await ada.getByLabel(`Ben (@${benNamed.username})`).check()
    await press(ada, 'Open the issue')
    await open(ada, '/-/boards')
    const column = ada.locator('section', { has: ada.getByRole('heading', { name: 'Doing' }) })
    expect(await column.last().textContent()).toContain('The door squeaks')
  })

  test('Ben mends the door on a branch, in the browser, and opens a merge request', async () => {
    await open(ben, '/-/new/main')
    await ben.getByLabel('Path', { exact: true }).first().fill('hinge.sh')
    await ben.getByLabel('Content').first().fill('#!/bin/sh\necho squeak\necho done\n')
    await ben.getByLabel('Commit message').first().fill('Oil the hinge')
    await ben.getByLabel('Branch').first().fill('oil-the-hinge')
    await press(ben, 'Commit the file')
    await open(ben, '/-/merge_requests/new')
    await ben.getByLabel('The branch with the changes').fill('oil-the-hinge')
    await press(ben, 'Compare and go on')
    expect(await said(ben)).toContain('hinge.sh')
    await ben.getByLabel('Description').fill('Closes #1')
    await press(ben, 'Open the merge request')
    expect(ben.url()).toBe(`${site}/${project}/-/merge_requests/1`)
  })

  test('Ada reviews it: a thread on a line, and a suggestion as a draft', async () => {
    await open(ada, '/-/merge_requests/1/diffs')
    await unfold(ada, 'Comment on a line')
    await ada.getByLabel('Line', { exact: true }).fill('3')
    await ada.getByLabel('Comment', { exact: true }).first().fill('Is that all?')
    await press(ada, 'Comment now')
    await open(ada, '/-/merge_requests/1/diffs')
    await unfold(ada, 'Suggest a change')
    await ada.getByLabel('First line').fill('2')
    await press(ada, 'Show the lines')
    const note = ada.getByLabel('Comment', { exact: true }).first()
    await note.fill((await note.inputValue()).replace('echo squeak', 'echo oil'))
    await press(ada, 'Keep as a draft')
    await press(ada, 'Publish all')
    const { body } = await api.get(`${at}/merge_requests/1/discussions`)
    const said = body.flatMap(({ notes }: { notes: { body: string; suggestions?: unknown[] }[] }) => notes)
    expect(said.map(({ suggestions }: { suggestions?: unknown[] }) => suggestions?.length ?? 0)).toContain(1)
  })

  test('Ben applies the suggestion, answers, and resolves the thread', async () => {
    await open(ben, '/-/merge_requests/1')
    await unfold(ben, 'Apply')
    await press(ben, 'Apply suggestion the suggestion of Ada for line 2 of hinge.sh')
    expect((await api.get(`${at}/repository/files/hinge.sh/raw?ref=oil-the-hinge`)).text).toContain(
      'echo oil',
    )
    await ben.getByRole('link', { name: 'Reply, react' }).first().click()
    await ben.getByLabel('Reply').first().fill('It is.')
    await press(ben, 'Reply to Ada')
    await press(ben, 'Resolve the thread of Ada')
  })

  test('Ada sees the log of the pipeline and approves, and Ben merges', async () => {
    const worker = await runner({ project: await idOf(), world: own })
    // A push makes its pipeline after it was answered.
    const job = await until(() => worker.take())
    await job.trace('$ make test\nAll doors open.\n')
    await job.update('success')
    await open(ada, '/-/pipelines')
    await follow(ada, ada.getByRole('link', { name: `#${job.variables['CI_PIPELINE_ID']}` }))
    await follow(ada, ada.getByRole('link', { name: 'test' }).first())
    expect(await said(ada)).toContain('All doors open.')
    await open(ada, '/-/merge_requests/1')
    await press(ada, 'Approve')
    await expect
      .poll(
        async () => {
          await open(ben, '/-/merge_requests/1')
          return ben.locator('button[value="merge"]').count()
        },
        { interval: 200 },
      )
      .toBe(1)
    await press(ben, 'Merge')
    expect(await ben.textContent('.state')).toBe('Merged')
    await open(ada, '/-/issues/1')
    await saysSoon(ada, 'Closed')
  })

  // Whoever started a deployment may not approve it.
  test('what Ben merged is deployed after Ada has approved it', async () => {
    const worker = await runner({ project: await idOf(), world: own })
    // The first one is of what Ada pushed in the morning; a merge makes its pipeline after it was answered.
    await expect
      .poll(async () => (await api.get(`${at}/deployments/2`)).body)
      .toMatchObject({ status: 'blocked' })
    await open(ada, '/-/environments')
    await ada.getByRole('link', { name: 'production' }).first().click()
    await unfold(ada, 'Approve or reject')
    await ada.getByLabel('Comment').first().fill('It may go.')
    await press(ada, 'Approve deployment #2')
    await open(ben, '/-/environments')
    await ben.getByRole('link', { name: 'production' }).first().click()
    await ben.getByRole('link', { name: 'deploy', exact: true }).first().click()
    await press(ben, 'Run the job')
    // The tests of the branches come before it.
    for (let name = ''; name !== 'deploy';) {
      const job = await until(() => worker.take())
      await job.update('success')
      name = job.json['job_info'].name
    }
    await open(ada, '/-/environments')
    await ada.getByRole('link', { name: 'production' }).first().click()
    await saysSoon(ada, 'Now there')
    expect((await api.get(`${at}/deployments/2`)).body).toMatchObject({ status: 'success' })
  })

  test('an alert comes in; Ben takes it and resolves it', async () => {
    const { body } = await api.post(`${at}/alert_management/integrations`, { name: 'Doors' })
    await sendTo(
      body.url,
      { title: 'The door is stuck', severity: 'critical' },
      bearer(body.authorization_key),
    )
    await open(ben, '/-/alert_management')
    await saysSoon(ben, 'The door is stuck')
    await ben.getByRole('link', { name: 'The door is stuck' }).click()
    await press(ben, 'Assign it to me')
    await press(ben, 'Resolve the alert')
    expect(await said(ben)).toContain('The alert is resolved.')
  })

  test('in the evening, all of it is found', async () => {
    const found = async (scope: string, words: string) => {
      await open(ben, `/-/search?scope=${scope}&search=${encodeURIComponent(words)}`)
      return said(ben)
    }
    expect(await found('issues', 'squeaks')).toContain('The door squeaks')
    expect(await found('merge_requests', 'Oil')).toContain('Oil the hinge')
    expect(await found('notes', 'that all')).toContain('Is that all?')
    expect(await found('blobs', 'echo oil')).toContain('hinge.sh')
    expect(await found('commits', 'Begin')).toContain('Begin')
  })

  const idOf = async (): Promise<number> => (await api.get(at)).body.id
})
