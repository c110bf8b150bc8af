import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { made, newBoard, newLabel } from '#planning/boards/test-support.ts'
import { branchedProject } from '#test/merge-requests.ts'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { hasChromium, startChromium } from './chromium.ts'
import { Keyboard } from './keyboard.ts'
import { signInOn } from './signed-in.ts'

// A day of two people who use no mouse: after they have signed in, there are only keys. Issues are in the tests of planning.

describe.skipIf(!hasChromium())('a day by keyboard alone', { timeout: 180_000 }, () => {
  let browser: Browser
  let p: Awaited<ReturnType<typeof branchedProject>>
  let ada: Keyboard
  let ben: Keyboard
  let at = ''

  beforeAll(async () => {
    browser = await startChromium()
    p = await branchedProject()
    at = `/projects/${p.id}`
    await p.owner.post(`${at}/repository/commits`, {
      branch: 'main',
      commit_message: 'Deploy when somebody wants it',
      actions: [
        {
          action: 'create',
          file_path: '.gitlab-ci.yml',
          content: 'deploy: { script: make, when: manual, rules: [{ if: $CI_COMMIT_BRANCH == "main" }] }\n',
        },
        { action: 'create', file_path: 'door.ts', content: '// A door.\n' },
      ],
    })
    ada = await signedIn('Ada')
    ben = await signedIn('Ben')
  }, 180_000)
  afterAll(() => browser.close())

  async function signedIn(name: string): Promise<Keyboard> {
    const who = await person(w, { username: unique(name.toLowerCase()), name })
    await w.member(p.namespaceId, who, 40)
    const context = await browser.newContext()
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    await signInOn(page, who)
    return new Keyboard(page)
  }

  const open = (keys: Keyboard, path = '') => keys.page.goto(`${w.url}/${p.fullPath}${path}`)
  const said = (keys: Keyboard) => keys.page.textContent('main')

  test('Ada opens a merge request from two branches', async () => {
    const { keyboard } = ada.page
    await open(ada, '/-/merge_requests')
    await ada.follow('New merge request')
    await ada.tabTo('The branch with the changes')
    await keyboard.type('feature')
    await ada.tabTo('The branch that gets them')
    expect(await ada.page.evaluate('document.activeElement.value')).toBe('main')
    await ada.follow('Compare and go on')
    await ada.write('Title', 'Say it aloud')
    await ada.tabTo('Squash all commits into one')
    await keyboard.press('Space')
    await ada.follow('Open the merge request')
    expect(await said(ada)).toContain('The merge request is open.')
    expect((await p.owner.get(`${at}/merge_requests/1`)).body).toMatchObject({ squash: true })
  })

  test('Ben suggests a change of a line, and Ada applies it', async () => {
    await open(ben, '/-/merge_requests/1')
    await ben.follow('Changes')
    // The number of the line before, and the one afterwards, which leads to the text of a comment.
    await ben.tabTo('2')
    await ben.follow('2')
    await expect.poll(() => ben.focus()).toMatchObject({ name: 'Comment', isMarked: true, isInSight: true })
    await ben.follow('Suggest a change of the line')
    await expect.poll(() => ben.focus()).toMatchObject({ name: 'Comment', isMarked: true, isInSight: true })
    await ben.page.keyboard.press('Control+a')
    await ben.page.keyboard.type('Louder:\n\n```suggestion:-0+0\nTWO!\n```')
    await ben.follow('Comment now')
    expect(await said(ben)).toContain('Louder:')
    expect(await ben.page.locator('tr.talk').isVisible()).toBe(true)
    await ben.tabTo('Ben')
    expect(await ben.page.evaluate('document.activeElement.closest("tr.talk") !== null')).toBe(true)

    await open(ada, '/-/merge_requests/1')
    const about = 'the suggestion of Ben for line 2 of a.txt'
    await ada.tabTo(`Apply ${about}`)
    await ada.page.keyboard.press('Enter')
    await ada.write('Commit message', 'Say it louder')
    await ada.follow(`Apply suggestion ${about}`)
    expect(await said(ada)).toContain('The suggestion is applied.')
  })

  test('Ben approves, and Ada merges', async () => {
    await open(ben, '/-/merge_requests/1')
    const { body } = await p.owner.get(`${at}/merge_requests/1/notes`)
    // Also where somebody came for a note far below, what was done is said in sight, and Tab goes on from there.
    await open(ben, `/-/merge_requests/1#note_${body[0].id}`)
    await ben.follow('Approve')
    await expect.poll(() => ben.focus()).toMatchObject({ name: 'You approved.', isInSight: true })
    expect(await said(ben)).toContain('Approved by Ben')
    await expect
      .poll(async () => (await p.owner.get(`${at}/merge_requests/1`)).body.detailed_merge_status)
      .toBe('mergeable')
    await open(ada, '/-/merge_requests/1')
    await ada.follow('Merge')
    expect(await ada.page.textContent('.state')).toBe('Merged')
  })

  test('Ada runs a job that waits for somebody', async () => {
    // A push makes its pipeline after it was answered.
    await expect.poll(async () => (await p.owner.get(`${at}/jobs`)).body).not.toEqual([])
    await open(ada, '/-/jobs')
    await ada.follow('deploy')
    await ada.follow('Run the job')
    expect(await said(ada)).toContain('The job waits for a runner.')
  })

  test('Ben moves a card on a board', async () => {
    const label = await newLabel(p.owner, at, 'Doing')
    const board = await newBoard(p.owner, at, { name: 'Work' })
    await made(p.owner, `${board.path}/lists`, { label_id: label.id })
    for (let n = 1; n <= 12; n += 1) await made(p.owner, `${at}/issues`, { title: `Door ${n}` })
    await open(ben, `/-/boards/${board.id}`)
    await ben.follow('Move Door 9')
    await expect.poll(() => ben.focus()).toMatchObject({ name: 'To', isMarked: true, isInSight: true })
    await ben.page.keyboard.type('Doing')
    await ben.follow('Move')
    expect(await said(ben)).toContain('The card is moved.')
    expect((await p.owner.get(`${at}/issues/9`)).body.labels).toEqual(['Doing'])
  })

  test('Ada saves settings, and is led to what is wrong', async () => {
    await open(ada, '/-/settings/general')
    await ada.write('Name', ' ')
    await ada.follow('Save Name and description')
    await expect.poll(() => ada.focus()).toMatchObject({ name: 'Name', isMarked: true, isInSight: true })
    await ada.page.keyboard.press('Control+a')
    await ada.page.keyboard.type('Doors')
    await ada.follow('Save Name and description')
    await expect
      .poll(() => ada.focus())
      .toMatchObject({ name: 'Saved: name and description.', isInSight: true })
    expect((await p.owner.get(at)).body.name).toBe('Doors')
  })

  test('Ada is led to why a form was refused as a whole', async () => {
    await open(ada, '/-/issues/9')
    await ada.tabTo('Link an issue')
    await ada.page.keyboard.press('Enter')
    await ada.write('Number of the other issue', '999')
    await ada.follow('Link')
    await expect.poll(() => ada.page.evaluate('document.activeElement.role')).toBe('alert')
    expect(await ada.focus()).toMatchObject({ isInSight: true })
    await ada.tabTo('This issue')
  })

  test('Ben opens the editor, changes a file, and leaves it again', async () => {
    const { keyboard } = ben.page
    await open(ben, '/-/edit/main/door.ts')
    await ben.tabTo('Edit with colors')
    await keyboard.press('Enter')
    await ben.page.locator('.cm-content').waitFor()
    await expect.poll(() => ben.focus()).toMatchObject({ name: 'Content', isMarked: true, isInSight: true })
    // What the language completes comes with its colors.
    await ben.page.locator('.cm-line span').first().waitFor()
    await keyboard.press('Control+End')
    await keyboard.press('Tab')
    await keyboard.type('fun')
    await ben.page.locator('.cm-tooltip-autocomplete').waitFor()
    await keyboard.press('Escape')
    // Nobody has to be quick.
    await ben.page.evaluate('{ const now = Date.now; Date.now = () => now() + 60_000 }')
    await keyboard.press('Tab')
    expect(await ben.focus()).toMatchObject({ name: 'Edit as plain text', isMarked: true, isInSight: true })
    // Who comes back indents again.
    await keyboard.press('Shift+Tab')
    await keyboard.press('Tab')
    expect(await ben.focus()).toMatchObject({ name: 'Content' })
    await keyboard.press('Escape')
    await keyboard.press('Tab')
    await ben.follow('Commit the change')
    expect((await p.owner.get(`${at}/repository/files/door.ts/raw?ref=main`)).text).toMatch(
      /^\/\/ A door\.\n {4}fun$/,
    )
  })
})
