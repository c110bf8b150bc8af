import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '../world.ts'

/** Debian's python3-gitlab belongs to the system's own Python. */
const python = '/usr/bin/python3'
const installed = spawnSync(python, ['-c', 'import gitlab']).status === 0
if (!installed) console.log("skipped: Debian's python3-gitlab is not installed")

describe('people who follow what happens', () => {
  test('with @gitbeaker/rest', async () => {
    const { id, developer, guest } = await w.project()
    const api = new Gitlab({ host: w.url, token: developer.token })
    const issue = await api.Issues.create(id, 'Talk')
    await api.IssueNotes.create(id, issue.iid, 'Well.')
    await api.Issues.edit(id, issue.iid, { stateEvent: 'close' })
    const all = await api.Events.all({ projectId: id })
    expect(all.map(({ action_name }) => action_name)).toEqual(['closed', 'commented on', 'opened'])
    expect(await api.Events.all({ projectId: id, action: 'closed', targetType: 'issue' })).toMatchObject([
      { target_id: issue.id, target_title: 'Talk', author: { id: developer.id } },
    ])
    expect(await api.Events.all({ after: '2020-01-01', perPage: 2, maxPages: 1 })).toHaveLength(2)
    expect(await api.Users.allEvents(developer.id, { sort: 'asc' })).toMatchObject([
      { action_name: 'opened' },
      { note: { body: 'Well.' } },
      { action_name: 'closed' },
    ])
    const others = new Gitlab({ host: w.url, token: guest.token })
    expect(await others.Events.all()).toEqual([])
    expect(await others.Events.all({ scope: 'all' })).toHaveLength(3)
    const polled = await api.Events.all({
      projectId: id,
      pagination: 'keyset',
      orderBy: 'created_at',
      sort: 'asc',
      perPage: 2,
    })
    expect(polled.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toReversed())
  })

  test.skipIf(!installed)('with python-gitlab', { timeout: 60_000 }, async () => {
    const script = fileURLToPath(new URL('events.py', import.meta.url))
    const { stdout } = await promisify(execFile)(python, [script, w.url, w.root.token, unique('x')])
    expect(stdout.trim()).toBe('held')
  })
})
