import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { BroadcastMessage } from '#administration/broadcast-messages/entity.ts'
import { broadcastThemes, broadcastTypes } from '#administration/broadcast-messages/words.ts'
import { memberLevels, roleTitles } from '#platform/access/roles.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { Field } from '../frame/fields.ts'
import type { Forms } from '../frame/forms.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { titled } from '../parts/words.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { adminPage, Nothing } from './frame.ts'

type Message = Static<typeof BroadcastMessage>

const HERE = '/admin/broadcast_messages'
const API = '/broadcast_messages'

/** What administrators tell people on their pages. */
export const broadcastAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/broadcast_messages', 'Messages', {
    params: Nothing,
    querystring: Type.Object({ page: pageNumber }),
    show: async ({ api, query, forms }) => {
      const list = await listOf(
        api,
        HERE,
        {
          title: 'Messages',
          api: API,
          item: BroadcastMessage,
          row: (message) => messageRow(message, forms),
          none: 'There is no message. What you write here stands above every page for a while.',
        },
        query,
      )
      const form = forms.write({
        does: 'create',
        submit: 'Show the message',
        fields: messageFields(),
      })
      return {
        title: 'Messages',
        body: html`${list}
          <h2>New message</h2>
          ${form}`,
      }
    },
    actions: () => {
      const one = (id: string) => `${API}/${encodeURIComponent(id)}`
      return {
        create: () =>
          withoutEmpty(
            asks({ method: 'POST', path: API, says: 'The message is there.' }),
            'starts_at',
            'ends_at',
          ),
        save: (id) =>
          withoutEmpty(
            asks({ method: 'PUT', path: one(id), says: 'The message is changed.' }),
            'starts_at',
            'ends_at',
          ),
        delete: (id) => asks({ method: 'DELETE', path: one(id), says: 'The message is gone.' }),
      }
    },
  })
}

function messageRow(message: Message, forms: Forms): Html {
  const { id, starts_at, ends_at, target_path, target_access_levels: levels } = message
  const about = message.message.slice(0, 60)
  const roles = levels.map((level) => roleTitles[level] ?? String(level)).join(', ')
  return html`<div>
      <p class="one-line"><strong>${message.message}</strong></p>
      <p class="quiet">
        ${since(starts_at)} until
        ${since(ends_at)}${target_path !== null && html`, on ${target_path}`}${
          levels.length > 0 && `, for the roles ${roles}`
        }
      </p>
    </div>
    <p class="aside">
      <span class="badge">${titled(message.broadcast_type)}, ${message.theme}</span>
      <span class="ci ${message.active ? 'good' : 'still'}">${stateOf(message)}</span>
    </p>
    <div class="actions">
      ${forms.write({
        does: `save/${id}`,
        submit: 'Save',
        about,
        opens: 'Change…',
        looks: 'secondary',
        changes: true,
        fields: messageFields(message),
      })}
      ${forms.write({ does: `delete/${id}`, submit: 'Delete', about, asks: 'Nobody sees it any more.' })}
    </div>`
}

const stateOf = ({ active, starts_at }: Message): string =>
  active ? 'shown' : Date.parse(starts_at) > Date.now() ? 'later' : 'ended'

/** Browsers want it without a zone. */
const minute = (moment: string | undefined): string => (moment ?? '').slice(0, 16)

const messageFields = (message?: Message): readonly Field[] => [
  {
    name: 'message',
    label: 'Message',
    hint: 'Markdown, at most 5,000 characters.',
    is: 'markup',
    value: message?.message,
    required: true,
    attributes: html`maxlength="5000"`,
  },
  {
    name: 'broadcast_type',
    label: 'Kind',
    is: 'choice',
    value: message?.broadcast_type ?? 'banner',
    options: broadcastTypes.map((value) => ({
      value,
      label: value === 'banner' ? 'Banner: across the page' : 'Notification: a small box',
    })),
  },
  {
    name: 'theme',
    label: 'Look',
    is: 'choice',
    value: message?.theme ?? 'indigo',
    options: broadcastThemes.map((value) => ({ value, label: titled(value.replace('-', ' ')) })),
  },
  {
    name: 'starts_at',
    label: 'Starts (UTC)',
    hint: message === undefined ? 'Empty: now.' : undefined,
    is: 'datetime-local',
    value: minute(message?.starts_at),
  },
  {
    name: 'ends_at',
    label: 'Ends (UTC)',
    hint: message === undefined ? 'Empty: in an hour.' : undefined,
    is: 'datetime-local',
    value: minute(message?.ends_at),
  },
  {
    name: 'dismissable',
    label: 'People may hide it',
    is: 'check',
    value: message?.dismissable ?? false,
  },
  {
    name: 'target_path',
    label: 'Only on pages with this address',
    hint: '* stands for any characters: /group/*, */-/issues. Empty: on every page.',
    value: message?.target_path,
  },
  {
    name: 'target_access_levels',
    label: 'Only for these roles in the project or group of the page',
    is: 'choices',
    value: message?.target_access_levels.map(String) ?? [],
    options: memberLevels.map((level) => ({
      value: String(level),
      label: roleTitles[level] ?? String(level),
    })),
  },
]
