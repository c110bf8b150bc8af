import { append } from '#platform/sequences.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { findNoteRow, noteAttributes, noteTarget } from './notes.ts'
import { findUser, projectOfNamespace, utc } from './shapes.ts'

type ReactionFact = StoredFact<'award emoji given' | 'award emoji taken back'>

const awardables: readonly string[] = ['Issue', 'MergeRequest', 'Snippet', 'Note']

/** Reactions: given and taken back. */
export const emojiPayloads = payloadKind({
  facts: ['award emoji given', 'award emoji taken back'],
  // People give several at once to the same thing.
  together: true,
  interestedHooks: ({ target }) =>
    awardables.includes(target?.type ?? '') ? { triggers: ['emoji_events'], system: 'none' } : undefined,
  build: async (facts, context) => {
    const payloads: HookPayload[] = []
    for (const fact of facts) append(payloads, await emojiPayload(fact, context))
    return payloads
  },
})

async function emojiPayload(fact: ReactionFact, context: BuildContext): Promise<readonly HookPayload[]> {
  const { target, details, at, actorId } = fact
  const project = await projectOfNamespace(context, fact.namespace)
  if (target === null || project === undefined) return []
  const note = target.type === 'Note' ? await findNoteRow(context, target.id) : undefined
  if (target.type === 'Note' && note === undefined) return []
  const on = note ?? { noteable_type: target.type, noteable_id: target.id, project_id: project.id }
  const found = await noteTarget(on, context)
  if (found === undefined) return []
  const isGiven = fact.name === 'award emoji given'
  const url = note === undefined ? found.url : `${found.url}#note_${note.id}`
  const { confidential } = found
  const secret = confidential || fact.seen?.confidential === true || note?.internal === true
  const more = note === undefined ? 'confidential_issues_events' : 'confidential_note_events'
  return [
    {
      to: 'project and group hooks',
      // Nobody learns from a reaction of what they may not learn otherwise.
      triggers: secret ? ['emoji_events', more] : ['emoji_events'],
      name: 'Emoji Hook',
      data: {
        object_kind: 'emoji',
        event_type: isGiven ? 'award' : 'revoke',
        user: await findUser(context, actorId),
        project_id: project.id,
        project: project.project,
        object_attributes: {
          user_id: actorId,
          created_at: utc(at),
          id: details.award_id,
          name: details.emoji,
          awardable_type: target.type,
          awardable_id: target.id,
          updated_at: utc(at),
          action: isGiven ? 'award' : 'revoke',
          awarded_on_url: url,
        },
        ...(note !== undefined && { note: noteAttributes(note, found) }),
        ...found.data,
      },
    },
  ]
}
