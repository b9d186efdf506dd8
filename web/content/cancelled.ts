export const cancelledLists = [
  {
    title: 'What Happened?',
    items: [
      'You cancelled the payment before it was completed',
      'No charge was made to your payment method',
      'Your account stays on its current plan',
    ],
  },
  {
    title: 'Common reasons',
    items: [
      'The back button was pressed or the window was closed',
      'You wanted to review the plan details first',
      'The connection was interrupted',
      'You would like to use another payment method',
    ],
  },
  {
    title: 'Troubleshooting tips',
    items: [
      'Make sure that your account has sufficient funds',
      'Check that the card details are correct',
      'Try another payment method',
      'Disable ad blockers and browser extensions for a moment',
      'Clear the cache and cookies of your browser',
    ],
  },
]
