import { creditRate } from '../../../schema/catalogue/credits.ts'
import { personalPlan, teamPlan } from '../../../schema/catalogue/sold-plans.ts'

interface Question {
  readonly question: string
  readonly answer: string
}

/** Formats minor units of the default currency for the reader. */
type Price = (amountMinor: number) => string

const studentDiscountPercent = 50

function creditPrice(price: Price): Question {
  return {
    question: 'How much does a credit cost?',
    answer: `${creditRate.credits} credits cost ${price(creditRate.amount_minor)}, on every plan and in any amount. The price you see is the price you pay.`,
  }
}

const expiry: Question = {
  question: 'Do credits expire?',
  answer:
    'Purchased credits never expire. Credits included in a plan reset every billing month and are always used first.',
}

const changes: Question = {
  question: 'What happens when I upgrade or downgrade?',
  answer:
    'An upgrade is prorated and takes effect immediately. A downgrade applies from the next billing cycle, so you keep what you paid for until then.',
}

const students: Question = {
  question: 'Is there a student discount?',
  answer: `Yes, students get ${studentDiscountPercent}% off. Email us from your university address and we will set it up.`,
}

export function landingFaq(price: Price): readonly Question[] {
  return [
    creditPrice(price),
    expiry,
    {
      question: 'Can I see where my credits went?',
      answer:
        'Yes. Your dashboard lists every credit added or used, with your balance after each entry. A purchase is complete once it appears there.',
    },
    changes,
    students,
  ]
}

export function pricingFaq(price: Price): readonly Question[] {
  const { name, credits_per_seat, trial_days } = personalPlan
  return [
    {
      question: 'What do I get each month?',
      answer: `${name} includes ${credits_per_seat} credits every billing month, and ${teamPlan.name} ${teamPlan.credits_per_seat} for each seat. The count resets each month. If you run out, add credits and keep working.`,
    },
    creditPrice(price),
    ...(trial_days > 0
      ? [
          {
            question: 'How does the free trial work?',
            answer: `Your first ${name} plan starts with ${trial_days} days free, credits included. You enter a card, and it is charged when the trial ends. Cancel before then and you pay nothing.`,
          },
        ]
      : []),
    changes,
    expiry,
    students,
    {
      question: 'Which currencies can I pay in?',
      answer:
        'Euros, US dollars and British pounds. The price is the same number in each. A subscription stays in the currency it started in.',
    },
  ]
}

/** `{seats}` stands for how many can be bought. */
export const teamsFaq: readonly Question[] = [
  {
    question: 'How are seats counted?',
    answer:
      'A seat belongs to one person, and a pending invitation holds a seat too. You can have up to {seats} seats, add more at any time, and reassign a seat when someone leaves.',
  },
  {
    question: 'How do we share credits?',
    answer: `Each seat adds ${teamPlan.credits_per_seat} credits a month to one pool that everyone with a seat uses. Administrators can add credits to it, and purchased credits never expire.`,
  },
  {
    question: 'Who can see our billing?',
    answer:
      'Administrators of the organization. Members see the seats, including their own, but no payments.',
  },
  {
    question: 'Can we pay with one invoice?',
    answer:
      'Yes. All seats are on one subscription with one card, and every invoice and receipt is in the billing portal.',
  },
  {
    question: 'I already pay for Pro. What happens to it?',
    answer:
      'You choose when you order Teams. Pro can end as soon as Teams is paid: the unused part goes back to your card, and you see the amount before you pay. Credits you bought stay yours.',
  },
  {
    question: 'Does Teams include single sign-on?',
    answer: 'Not yet. Tell us if you need SSO or SAML.',
  },
]
