import { creditPacks, creditRate, creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { defaultCurrency, formatMoney } from '../../schema/catalogue/currency.ts'

const rate = formatMoney(creditRate.amount_minor, defaultCurrency)
const largestPack = creditPacks.reduce((largest, pack) => (pack.credits > largest.credits ? pack : largest))
const largestPackCost = formatMoney(creditsCostMinor(largestPack.credits), defaultCurrency)

export const faq = [
  {
    question: 'How much does a credit cost?',
    answer: `${creditRate.credits} credits cost ${rate}, on every plan. The rate is the same for larger amounts: ${largestPack.credits.toLocaleString('en-US')} credits cost ${largestPackCost}. The price you see is the price you pay.`,
  },
  {
    question: 'Do credits expire?',
    answer:
      'Credits you buy never expire. Credits included in a plan reset every billing month and are always used first.',
  },
  {
    question: 'Can I see where my credits went?',
    answer:
      'Yes. Your dashboard lists every credit added or used, with your balance after each entry. A purchase is complete once it appears there.',
  },
  {
    question: 'What happens when I upgrade or downgrade?',
    answer:
      'An upgrade is prorated and takes effect immediately. A downgrade applies from the next billing cycle, so you keep what you paid for until then.',
  },
  {
    question: 'Is there a student discount?',
    answer: 'Yes, students get 50% off. Email us from your university address and we will set it up.',
  },
] as const
