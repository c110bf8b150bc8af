import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { press as pressOn, signInOn } from './signed-in.ts'

// What maintainers and owners decide, in the browser.

describe.skipIf(!hasChromium())('settings in the console', { timeout: 300_000 }, () => {
  let browser: Browser
  let ada: Page
  let project = ''
  let group = ''

  beforeAll(async () => {
    browser = await startChromium()
    const place = await w.project({ visibility: 'public' })
    const around = (await place.owner.get(`/projects/${place.id}`)).body.namespace
    project = `${w.url}/${place.fullPath}`
    group = `${w.url}/groups/${around.full_path}`
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(around.id, { id }, 50)
    await place.owner.post(`/projects/${place.id}/variables`, { key: 'TOKEN', value: 'abc' })
    await place.owner.post(`/projects/${place.id}/protected_branches`, { name: 'release/*' })
    await place.owner.post(`/projects/${place.id}/hooks`, { url: 'https://receiver.invalid/hook' })
    ada = await (await browser.newContext()).newPage()
    await signInOn(ada, { username, password })
  }, 180_000)
  afterAll(() => browser.close())

  const press = (name: string) => pressOn(ada, name)

  test('every page of settings is fit for everybody', async () => {
    for (const [name, address] of [
      ['new-project', `${w.url}/projects/new`],
      ['new-group', `${w.url}/groups/new`],
      ['general', `${project}/-/settings/general`],
      ['members', `${project}/-/project_members`],
      ['repository', `${project}/-/settings/repository`],
      ['ci', `${project}/-/settings/ci_cd`],
      ['tokens', `${project}/-/settings/access_tokens`],
      ['hooks', `${project}/-/hooks`],
      ['group', `${group}/-/edit`],
      ['package-rules', `${group}/-/settings/packages_and_registries`],
      ['import', `${w.url}/import/gitlab_project/new`],
      ['import-progress', `${project}/-/import`],
      ['group-members', `${group}/-/group_members`],
    ] as const) {
      await ada.goto(address)
      await expectAccessible(ada, `settings-${name}`)
    }
    await ada.goto(`${project}/-/hooks`)
    await ada.getByRole('link', { name: 'https://receiver.invalid/hook' }).click()
    await expectAccessible(ada, 'settings-hook')
  })

  test('whoever changes what somebody else has changed meanwhile is told, with what they typed', async () => {
    const other = await ada.context().newPage()
    for (const one of [ada, other]) await one.goto(`${project}/-/settings/general`)
    for (const [one, words] of [
      [other, 'Theirs'],
      [ada, 'Ours'],
    ] as const) {
      await one.getByLabel('Description').fill(words)
      await pressOn(one, 'Save Name and description')
    }
    await other.close()
    expect(await ada.textContent('main')).toContain('Somebody else changed this meanwhile.')
    expect(await ada.getByLabel('Description').inputValue()).toBe('Ours')
    await expectAccessible(ada, 'settings-overtaken')
    await press('Save Name and description')
    expect(await ada.getByLabel('Description').inputValue()).toBe('Ours')
  })

  test('people are offered while one types who is to be a member', async () => {
    const { username } = await person(w, { username: unique('grace'), name: 'Grace' })
    await ada.goto(`${project}/-/project_members`)
    await ada.getByText('Add a member…').click()
    const field = ada.getByLabel('User name')
    await field.fill(username.slice(0, -1))
    const offered = ada.locator(`datalist option[value="${username}"]`)
    await offered.waitFor({ state: 'attached' })
    expect(await offered.getAttribute('label')).toBe('Grace')
    await expectAccessible(ada, 'settings-member')
    await field.fill(username)
    await press('Add')
    expect(await ada.textContent('main')).toContain('Grace is a member.')
  })

  test('a deploy token is made, and its secret is shown', async () => {
    await ada.goto(`${project}/-/settings/repository`)
    await ada.getByText('New deploy token…').click()
    await ada.getByLabel('Name', { exact: true }).fill('Reader')
    await ada.getByLabel('read repository').check()
    await press('Make the token')
    expect(await ada.getByLabel('Password').inputValue()).toMatch(/^gldt-/)
    await expectAccessible(ada, 'settings-secret')
  })
})
