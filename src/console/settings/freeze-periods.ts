import type { Static } from 'typebox'
import type { FreezePeriod } from '#delivery/freeze-periods/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Field } from '../frame/fields.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { section } from './sections.ts'

type Period = Static<typeof FreezePeriod>

/** When nobody should deploy. */
export const freezePeriods = (forms: Forms, list: ListPart<Period>, rights: Rights): Html =>
  section({
    title: 'Deploy freezes',
    about: 'When nobody should deploy: jobs find CI_DEPLOY_FREEZE in their environment then.',
    rows: list.items.map(
      (period) =>
        html`<div>
            From <code>${period.freeze_start}</code> until <code>${period.freeze_end}</code>
            <p class="quiet">${period.cron_timezone}</p>
          </div>
          ${rights.may('admin_freeze_period') && changing(forms, period)}`,
    ),
    none: 'There is no freeze.',
    others: list.others,
    add:
      rights.may('admin_freeze_period') &&
      forms.write({
        does: 'add-freeze',
        submit: 'Add the freeze',
        opens: 'Add a deploy freeze…',
        fields: fieldsOf(undefined),
      }),
  })

function changing(forms: Forms, period: Period): Html {
  const { id, freeze_start, freeze_end } = period
  const about = `the freeze from ${freeze_start} until ${freeze_end}`
  return html`${forms.write({
    does: `change-freeze/${id}`,
    submit: 'Save',
    about,
    opens: 'Change…',
    looks: 'secondary',
    changes: true,
    fields: fieldsOf(period),
  })}
  ${forms.write({
    does: `delete-freeze/${id}`,
    submit: 'Delete',
    about,
    asks: 'Jobs learn of this freeze no more.',
  })}`
}

const fieldsOf = (period: Period | undefined): readonly Field[] => [
  {
    name: 'freeze_start',
    label: 'Begins',
    hint: 'Minute, hour, day, month, weekday, as in crontab: 0 17 * * 5 is Friday at 17:00.',
    value: period?.freeze_start,
    required: true,
  },
  {
    name: 'freeze_end',
    label: 'Ends',
    hint: 'The same: 0 8 * * 1 is Monday at 8:00.',
    value: period?.freeze_end,
    required: true,
  },
  {
    name: 'cron_timezone',
    label: 'Time zone',
    hint: 'UTC, Europe/Berlin.',
    value: period?.cron_timezone ?? 'UTC',
    required: true,
  },
]

/** @param address of the project, in the API */
export const freezePeriodActions = (address: string): Actions => {
  const all = `${address}/freeze_periods`
  const one = (id: string) => `${all}/${encodeURIComponent(id)}`
  return {
    'add-freeze': () => asks({ method: 'POST', path: all, says: 'The deploy freeze is added.' }),
    'change-freeze': (id) => asks({ method: 'PUT', path: one(id), says: 'The deploy freeze is changed.' }),
    'delete-freeze': (id) => asks({ method: 'DELETE', path: one(id), says: 'The deploy freeze is deleted.' }),
  }
}
