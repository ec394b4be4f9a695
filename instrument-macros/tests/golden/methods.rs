#[inference_stage("execute")]
pub(crate) fn forward(self: Box<Self>, mut batch: Batch) -> Logits
where
    Self: Sized,
{
    batch.pad();
    self.weights.forward(batch)
}

/// The default of a trait.
#[inference_stage("preprocess")]
fn tokenize<'a, T: Tokens + ?Sized, const N: usize>(&mut self, text: &'a T) -> [Cow<'a, str>; N]
where
    T: 'a,
    for<'b> &'b T: Split<'b>,
{
    self.calls += 1;
    text.split()
}

#[inference_stage("execute")]
async fn consume(self, &(first, ref rest): &(u8, Vec<u8>), _: Limit) -> Result<Self, Error> {
    self.push(first, rest).await
}
