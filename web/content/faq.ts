import { creditPacks, creditRate, creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { defaultCurrency, formatMoney } from '../../schema/catalogue/currency.ts'

const rate = formatMoney(creditRate.amount_minor, defaultCurrency)
const largestPack = creditPacks.reduce((largest, pack) => (pack.credits > largest.credits ? pack : largest))
const largestPackCost = formatMoney(creditsCostMinor(largestPack.credits), defaultCurrency)

export const faq = [
  {
    question: 'What does a credit cost?',
    answer: `${creditRate.credits} credits cost ${rate}, whatever your plan. ${largestPack.credits.toLocaleString('en-US')} cost ${largestPackCost}. There is no smaller print: the rate on this page is the one your card is charged by.`,
  },
  {
    question: 'Do credits expire?',
    answer:
      'Credits that you buy never expire. Credits that come with a plan reset every billing month, and they are always used first.',
  },
  {
    question: 'Can I see where my credits went?',
    answer:
      'Yes. Your dashboard lists every credit that came in or went out, with the balance it left behind. A purchase counts only once it stands in that list.',
  },
  {
    question: 'What happens when I upgrade or downgrade?',
    answer:
      'An upgrade is prorated and takes effect immediately. A downgrade applies at the next billing cycle, so you keep what you paid for.',
  },
  {
    question: 'Is there a student discount?',
    answer: 'Students pay half. Write to us from your university address and we will set it up.',
  },
] as const
