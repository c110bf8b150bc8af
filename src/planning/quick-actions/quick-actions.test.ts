import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { metadata } from '#planning/issues/changes.ts'
import { w } from '#test/world.ts'
import { epicActions } from './epic-actions.ts'
import { issueActions } from './issue-actions.ts'
import { unsupportedCommands } from './later-actions.ts'
import type { QuickAction } from './quick-action.ts'

describe('the guide', () => {
  const page = readFileSync(new URL('../../../docs/guides/quick-actions.md', import.meta.url), 'utf8')
  const rows = Object.entries(issueActions).map(([name, { aliases = [], takes, does, changes }]) => {
    const names = [name, ...aliases].map((one) => `\`/${one}\``).join(', ')
    const planners: readonly string[] = [
      ...metadata,
      'time_estimate',
      'spend_time',
      'canonical_issue_id',
      'target_project_id',
      'target_clone_project_id',
    ]
    const everybody = changes === 'subscribed' || changes === 'emoji_award'
    const others = everybody ? 'everybody' : changes === 'issue_links' ? 'members' : undefined
    const who = others ?? (planners.includes(changes) ? 'planners' : 'author, assignees')
    return `| ${names} | ${takes ?? ''} | ${does} | ${who} |`
  })

  test('shows every action as it is', () => {
    const [ofIssues = ''] = page.split('## Quick actions of merge requests')
    const shown = ofIssues
      .split('\n')
      .filter((line) => line.startsWith('| `/'))
      .map((line) => line.replace(/ *\| */g, ' | ').trim())
    expect(shown).toEqual(rows.map((row) => row.replace(/ *\| */g, ' | ').trim()))
  })
})

test('the guide of epics shows every action of epics as it is', () => {
  const page = readFileSync(new URL('../../../docs/guides/epics.md', import.meta.url), 'utf8')
  const rows = Object.entries<QuickAction>(epicActions).map(([name, { aliases = [], takes, does }]) => {
    const names = [name, ...aliases].map((one) => `\`/${one}\``).join(', ')
    return `| ${names} | ${takes ?? ''} | ${does} |`.replace(/ *\| */g, ' | ').trim()
  })
  const shown = page.split('\n').filter((line) => line.startsWith('| `/'))
  expect(shown.map((line) => line.replace(/ *\| */g, ' | ').trim())).toEqual(rows)
})

test('the guide names every command that is not available yet, and none of them is there', () => {
  const page = readFileSync(new URL('../../../docs/guides/quick-actions.md', import.meta.url), 'utf8')
  const [, listed = ''] = /These are recognized and not available yet: ([^.]+)\./.exec(page) ?? []
  expect(listed.split(/,\s+/)).toEqual(unsupportedCommands.map((name) => `\`/${name}\``))
  expect(unsupportedCommands.filter((name) => name in issueActions)).toEqual([])
})

describe('POST /projects/:id/issues/:issue_iid/notes', () => {
  const opened = async () => {
    const p = await w.project()
    const url = `/projects/${p.id}/issues`
    await p.reporter.post(url, { title: 'It breaks' })
    return {
      ...p,
      notes: `${url}/1/notes`,
      look: async () => (await p.planner.get(`${url}/1`)).body,
      /** The comments of people. */
      comments: async () =>
        (await p.planner.get(`${url}/1/notes?activity_filter=only_comments`)).body.map(
          ({ body }: { body: string }) => body,
        ),
    }
  }

  test('commands alone make no note: 202 with what they changed', async () => {
    const p = await opened()
    const { status, body } = await p.planner.post(p.notes, {
      body: `/close\n/assign @${p.guest.username}\n/due 2026-12-01\n`,
    })
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        commands_changes: { state_event: 'close', assignee_ids: [p.guest.id], due_date: '2026-12-01' },
        summary: ['Closed this issue.', `Assigned @${p.guest.username}.`, 'Set the due date to 2026-12-01.'],
      },
    })
    expect(await p.comments()).toEqual([])
    expect(await p.look()).toMatchObject({ state: 'closed', user_notes_count: 0 })
  })

  test('commands alone of which some were applied say why others were not', async () => {
    const p = await opened()
    const { status, body } = await p.planner.post(p.notes, { body: '/reopen\n/lock' })
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        commands_changes: { discussion_locked: true },
        summary: ['This issue is open already.', 'Locked the discussion.'],
      },
    })
  })

  test('commands alone of which none was applied: 400 with the reasons', async () => {
    const p = await opened()
    const { status, body } = await p.guest.post(p.notes, { body: '/close\n/label ~bug' })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('You may not use /close here. You may not use /label here.')
    expect(await p.look()).toMatchObject({ state: 'opened', user_notes_count: 0 })
  })

  test('a mixed body makes a note of its text and tells of its commands', async () => {
    const p = await opened()
    const { status, body } = await p.planner.post(p.notes, { body: 'Done.\n\n/close\n\nThanks!' })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { body: 'Done.\n\nThanks!', commands_changes: { state_event: 'close' } },
    })
    expect(await p.comments()).toEqual(['Done.\n\nThanks!'])
    expect(await p.look()).toMatchObject({ state: 'closed', user_notes_count: 1 })
  })

  test('a mixed body makes its note, also where its commands could not be applied', async () => {
    const p = await opened()
    const { status, body } = await p.guest.post(p.notes, { body: 'Please!\n/close' })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { body: 'Please!', commands_changes: {}, summary: ['You may not use /close here.'] },
    })
    expect(await p.look()).toMatchObject({ state: 'opened', user_notes_count: 1 })
  })

  test('unknown commands and commands in code are text, and change nothing', async () => {
    const p = await opened()
    const text = '/retest all\n\n```\n/close\n```'
    const { status, body } = await p.planner.post(p.notes, { body: text })
    expect({ status, body }).toMatchObject({ status: 201, body: { body: text } })
    expect(body.commands_changes).toEqual({})
    expect(body).not.toHaveProperty('summary')
    expect(await p.look()).toMatchObject({ state: 'opened' })
  })

  test('commands that cannot be carried out yet are told as such, and become no comment', async () => {
    const p = await opened()
    const alone = await p.guest.post(p.notes, { body: '/severity high\n/zoom x' })
    expect([alone.status, alone.body.message]).toEqual([
      400,
      '400 Bad request - /severity is not available yet. /zoom is not available yet.',
    ])
    const mixed = await p.planner.post(p.notes, { body: 'Fixed.\n/zoom x\n/close' })
    expect(mixed).toMatchObject({
      status: 201,
      body: {
        body: 'Fixed.',
        commands_changes: { state_event: 'close' },
        summary: ['/zoom is not available yet.', 'Closed this issue.'],
      },
    })
    expect(await p.comments()).toEqual(['Fixed.'])
  })

  test('commands change nothing when a note is edited', async () => {
    const p = await opened()
    const { body: note } = await p.planner.post(p.notes, { body: 'a' })
    const { body } = await p.planner.put(`${p.notes}/${note.id}`, { body: '/close' })
    expect(body).toMatchObject({ body: '/close' })
    expect(await p.look()).toMatchObject({ state: 'opened' })
  })

  test('nobody changes by commands what they may not see', async () => {
    const p = await opened()
    await p.planner.post(p.notes, { body: '/confidential' })
    expect((await p.guest.post(p.notes, { body: '/subscribe' })).status).toBe(404)
    expect((await p.stranger.post(p.notes, { body: '/close' })).status).toBe(404)
    expect((await p.anonymous.post(p.notes, { body: '/close' })).status).toBe(401)
  })

  test('a megabyte of commands is answered with a hundred sentences', async () => {
    const p = await opened()
    const { status, body } = await p.planner.post(p.notes, { body: '/close\n'.repeat(140_000) })
    expect(status).toBe(202)
    expect(body.summary).toHaveLength(101)
  })
})
