import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killJob } from '#administration/background-jobs/test-support.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { follow, press as pressOn, signInOn } from './signed-in.ts'

// What administrators do, in the browser.

describe.skipIf(!hasChromium())('administration in the console', { timeout: 300_000 }, () => {
  let browser: Browser
  let ada: Page
  const at = (word: string) => `${w.url}/admin${word}`
  const press = (name: string) => pressOn(ada, name)

  /** Also those that tests before these have left. */
  async function deleteMessages(): Promise<void> {
    for (const { id } of (await w.root.get('/broadcast_messages?per_page=100')).body)
      await w.root.delete(`/broadcast_messages/${id}`)
  }

  beforeAll(async () => {
    browser = await startChromium()
    await deleteMessages()
    await w.project({ visibility: 'public' })
    await w.user({ name: 'Somebody with a name that is longer than most of those that people have' })
    const { username, password } = await person(w, { username: unique('ada'), name: 'Ada', admin: true })
    ada = await (await browser.newContext()).newPage()
    await signInOn(ada, { username, password })
  }, 180_000)
  afterAll(() => browser.close())

  test('every page is fit for everybody', async () => {
    for (const [name, word] of [
      ['overview', ''],
      ['health', '/health_check'],
      ['users', '/users'],
      ['no-users', '/users?search=nobody-is-called-this'],
      ['new-user', '/users/new'],
      ['user', '/users/root'],
      ['groups', '/groups'],
      ['projects', '/projects'],
      ['settings', '/application_settings/general'],
      ['settings-network', '/application_settings/network'],
      ['no-messages', '/broadcast_messages'],
      ['license', '/license'],
      ['no-failed-jobs', '/background_jobs'],
      ['no-runners', '/runners'],
      ['storages', '/repository_storages'],
      ['feature-flags', '/feature_flags'],
      ['audit-events', '/audit_logs'],
      ['no-spam', '/spam_logs'],
    ] as const) {
      await ada.goto(at(word))
      await expectAccessible(ada, `admin-${name}`)
    }
  })

  test('one project is moved to another storage', async () => {
    const { id, fullPath } = await w.project({ visibility: 'public' })
    await w.root.post(`/projects/${id}/repository_storage_moves`, { destination_storage_name: 'second' })
    await ada.goto(`${w.url}/${fullPath}/-/settings/storage`)
    await ada.getByText('Move to another storage…').click()
    await ada.getByLabel('Storage', { exact: true }).fill('nowhere')
    await press('Move the project')
    await expectAccessible(ada, 'admin-project-storage-wrong')
  })

  test('an account is made, and a wrong one is explained', async () => {
    await ada.goto(w.url)
    await ada.getByRole('link', { name: 'Admin', exact: true }).click()
    await ada.getByRole('link', { name: 'New user' }).click()
    await ada.getByLabel('Name', { exact: true }).fill('Grace')
    await ada.getByLabel('Username').fill('root')
    await ada.getByLabel('Email').fill('grace@example.com')
    await ada.getByLabel('Password').fill('correct horse battery')
    await press('Make the account')
    await expectAccessible(ada, 'admin-new-user-wrong')
    await ada.getByLabel('Username').fill(unique('grace'))
    await ada.getByLabel('Password').fill('correct horse battery')
    await press('Make the account')
    expect(await ada.textContent('main')).toContain('The account is there.')
  })

  test('a message stands above every page, and is hidden without a script', async () => {
    await ada.goto(at('/broadcast_messages'))
    await ada
      .getByLabel('Message', { exact: true })
      .fill('**Tea** at [five](https://example.com), and `scones`')
    await ada.getByLabel('People may hide it').check()
    await press('Show the message')
    expect(await ada.textContent('main')).toContain('The message is there.')
    for (const [broadcast_type, theme] of [
      ['notification', 'light-red'],
      ['banner', 'red'],
    ])
      await w.root.post('/broadcast_messages', { message: 'The **second** one', broadcast_type, theme })
    await ada.goto(at('/broadcast_messages'))
    await expectAccessible(ada, 'admin-messages')
    await press('Hide this message')
    expect(await ada.locator('aside').textContent()).not.toContain('scones')
    await deleteMessages()
  })

  test('what went wrong, what runs jobs, and what was taken for spam', async () => {
    const job = await killJob(w, {
      task: 'test/none',
      error: `connect ECONNREFUSED 127.0.0.1:${'9'.repeat(200)}`,
    })
    await ada.goto(at('/background_jobs'))
    await expectAccessible(ada, 'admin-failed-jobs')
    await follow(ada, ada.getByRole('button', { name: `Retry test/none ${job}` }))
    expect(await ada.textContent('main')).toContain('The job runs again.')

    await ada.goto(at('/runners'))
    await ada.getByText('New runner of the instance…').click()
    await ada.getByLabel('Description').fill('A runner of the cellar')
    await press('Make the runner')
    await expectAccessible(ada, 'admin-runner-made')
    await ada.goto(at('/runners'))
    await expectAccessible(ada, 'admin-runners')

    const { id: user_id } = await w.user()
    const description = 'Buy now '.repeat(100)
    const created_at = new Date().toISOString()
    await w.db
      .insertInto('spam_logs')
      .values({
        user_id,
        description,
        created_at,
        digest: Buffer.from('x'),
        noteable_type: 'Issue',
        title: 'Buy',
      })
      .execute()
    await ada.goto(at('/spam_logs'))
    await expectAccessible(ada, 'admin-spam')
  })

  test('a license is issued in two clicks, and audit events are there', async () => {
    await ada.goto(at('/license'))
    await ada.getByLabel('Ends before').fill('2020-01-01')
    await press('Issue a license')
    await expectAccessible(ada, 'admin-license-wrong')
    await ada.goto(at('/license'))
    await press('Issue a license')
    await expectAccessible(ada, 'admin-license-issued')
    await ada.goto(at('/audit_logs'))
    await expectAccessible(ada, 'admin-audit-events-full')
    for (const { id } of (await w.root.get('/licenses')).body) await w.root.delete(`/license/${id}`)
  })
})
