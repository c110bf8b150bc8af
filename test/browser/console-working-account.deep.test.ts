import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { png } from '#tenancy/avatars/test-support.ts'
import { PATIENCE } from '#test/patience.ts'
import { newSshKey } from '#test/ssh-keys.ts'
import { giveSample } from '#test/repositories.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { press, signInOn } from './signed-in.ts'

// What people do in the browser with deployments, monitoring and their account.

describe.skipIf(!hasChromium())('deployments, monitoring and accounts', { timeout: 300_000 }, () => {
  let browser: Browser
  let page: Page
  let owner: Client
  /** A server that has every plan. */
  let site = ''
  let at = ''
  let project = ''

  beforeAll(async () => {
    browser = await startChromium()
    site = (await w.licensed()).url
    const place = await w.project({ visibility: 'public' })
    await giveSample(place)
    owner = new Client(site, place.owner.headers)
    at = `/projects/${place.id}`
    project = `${site}/${place.fullPath}`
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, { id }, 40)
    page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(PATIENCE)
    // The other server takes the same session.
    await signInOn(page, { username, password })
  }, 180_000)
  afterAll(() => browser.close())

  test('an environment is protected, and a deployment that waits for it is approved', async () => {
    await page.goto(`${project}/-/settings/ci_cd`)
    await page.getByText('Protect an environment…').click()
    await page.getByLabel('Environment', { exact: true }).fill('production')
    await page.getByLabel('Approvals').fill('1')
    await press(page, 'Protect')
    await page.getByText('Add a deploy freeze…').click()
    await page.getByLabel('Begins').fill('0 17 * * 5')
    await page.getByLabel('Ends').fill('never')
    await press(page, 'Add the freeze')
    await page.getByText('Change… production').click()
    await expectAccessible(page, 'working-delivery-settings')
    const deployment = { environment: 'production', sha: 'main', ref: 'main', tag: false, status: 'running' }
    const { body } = await owner.post(`${at}/deployments`, deployment)
    await page.goto(`${project}/-/environments`)
    await page.getByRole('link', { name: 'production' }).click()
    await page.getByText('Approve or reject…').click()
    await expectAccessible(page, 'working-deployment-waits')
    await page.getByLabel('Comment').fill('It may go.')
    await press(page, `Approve deployment #${body.iid}`)
    expect(await page.textContent('main')).toContain('You have approved the deployment.')
    await expectAccessible(page, 'working-deployment-approved')
  })

  test('somebody keeps their account: profile, addresses, keys and what they are told of', async () => {
    await page.goto(`${site}/-/user_settings/profile`)
    await page.getByLabel('About you').fill('Counts, and writes about it.')
    await press(page, 'Save your profile')
    await page.getByLabel('New picture').setInputFiles({
      name: 'me.png',
      mimeType: 'image/png',
      buffer: await png(96, 96),
    })
    await press(page, 'Use this picture')
    expect(await page.textContent('main')).toContain('Your picture is set.')
    await expectAccessible(page, 'working-profile')
    await page.getByLabel('Emoji').fill('no emoji')
    await press(page, 'Set the status')
    await expectAccessible(page, 'working-profile-wrong')
    await page.goto(`${site}/-/user_settings/ssh_keys`)
    await expectAccessible(page, 'working-keys-empty')
    await page.getByText('Add a key…').click()
    await page.getByLabel('Public key').fill(newSshKey())
    await page.getByLabel('Title').fill('Laptop')
    await press(page, 'Add the key')
    await expectAccessible(page, 'working-keys')
    await page.goto(`${site}/-/profile/emails`)
    await page.getByText('Add an address…').click()
    await page.getByLabel('Address').fill(`${unique('ada')}@example.com`)
    await press(page, 'Add the address')
    await expectAccessible(page, 'working-emails')
    await page.goto(`${site}/-/profile/notifications`)
    await page.getByLabel('You are told').selectOption('custom')
    await press(page, 'Save your notification settings')
    await expectAccessible(page, 'working-notifications')
    await page.goto(project)
    await page.getByRole('link', { name: 'Notifications' }).click()
    await expectAccessible(page, 'working-notifications-of-project')
  })

  test('what programs report and what is kept is set up in settings', async () => {
    await page.goto(`${project}/-/settings/operations`)
    await expectAccessible(page, 'working-monitoring-empty')
    await page.getByText('New integration…').click()
    await page.getByLabel('Name', { exact: true }).fill('Watchman')
    await press(page, 'Make the integration')
    await page.getByLabel('Authorization key').waitFor()
    await expectAccessible(page, 'working-integration-key')
    await page.goto(`${project}/-/settings/operations`)
    await press(page, 'Send a test alert to Watchman')
    await press(page, 'Make a client key')
    await expectAccessible(page, 'working-monitoring')
    await page.goto(`${project}/-/alert_management`)
    await page.getByRole('link', { name: 'Test alert' }).click()
    await expectAccessible(page, 'working-alert')
    await page.goto(`${project}/-/settings/badges`)
    await page.getByText('Add a badge…').click()
    await page.getByLabel('Name').fill('Chat')
    await page.getByLabel('Leads to').fill('https://chat.example')
    await page.getByLabel('Address of the picture').fill(`${site}/-/icon.svg`)
    await press(page, 'Add the badge')
    await expectAccessible(page, 'working-badges')
    await page.goto(project)
    await expectAccessible(page, 'working-home-with-badge')
    await page.goto(`${project}/-/settings/packages_and_registries`)
    await page.getByText('Add a rule…').first().click()
    await page.getByLabel('Pattern').first().fill('elsewhere/image')
    await press(page, 'Protect protected images')
    await expectAccessible(page, 'working-registries-wrong')
  })
})
